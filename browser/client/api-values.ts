/** A continent. */
export interface Continent {
  readonly id: number;
  /** Two capital letters, for example `"NA"`. */
  readonly code: string;
  readonly name: string;
}

/** A country. */
export interface Country {
  /** ISO 3166-1 numeric. */
  readonly id: number;
  /** ISO 3166-1 alpha-2, for example `"US"`. */
  readonly code: string;
  /** ISO 3166-1 alpha-3, for example `"USA"`. */
  readonly alias: string;
  readonly name: string;
  readonly continent: Continent;
  readonly hasPostalCodes: boolean;
  readonly active: boolean;
}

/** A state, province or territory. */
export interface State {
  readonly id: number;
  /** For example `"NY"`. */
  readonly code: string;
  readonly name: string;
  /** Other spellings of the name. */
  readonly aliases: readonly string[];
  readonly active: boolean;
}

/** A place that has a postal code. */
export interface Place {
  readonly city: string;
  readonly state: State;
  readonly country: Country;
}

/** All places of a postal code, the preferred one first. */
export interface Places {
  readonly status: "found" | "unknown" | "unsupported" | "malformed";
  readonly country: string | null;
  readonly postalCode: string;
  readonly places: readonly Place[];
  readonly dataDate: string;
}

/** All countries. */
export interface Countries {
  readonly countries: readonly Country[];
  readonly dataDate: string;
}

/** The states of a country. */
export interface States {
  readonly country: Country;
  readonly states: readonly State[];
  readonly dataDate: string;
}

/** A 64-bit id. JSON numbers lose digits beyond 2^53, so ids travel as text. */
export type Id = string | bigint;

/** A page shown to a visitor. Everything is optional. */
export interface PageRequest {
  readonly formId?: Id | undefined;
  readonly transId?: Id | undefined;
  readonly pageRequestUrl?: string | undefined;
  readonly applicationInstanceId?: number | undefined;
  readonly isAuthenticated?: boolean | undefined;
  readonly contactId?: Id | undefined;
  readonly screenWidth?: number | undefined;
  readonly screenHeight?: number | undefined;
  readonly browserUserAgentId?: Id | undefined;
  readonly crossAppSessionId?: Id | undefined;
  readonly sessionDate?: string | undefined;
  readonly conversionHitId?: Id | undefined;
  readonly overrideRequestMethodId?: number | undefined;
  readonly eventKey?: string | undefined;
  readonly referrer?: string | undefined;
  readonly kind?: string | undefined;
  readonly step?: string | undefined;
}

/** Result of a log-in. The ids are null when it was refused, and `message` says why. */
export interface LogInOutcome {
  readonly success: boolean;
  readonly contactId: string | null;
  readonly recordId: string | null;
  readonly message: string | null;
}
