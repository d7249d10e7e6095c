// Written by `npm run derive` from the contract; do not edit.

/** A state, province or territory. */
export interface State {
  /** Number of the state; it never changes. */
  readonly id: number;
  /** ISO 3166-2 code without the country, as in NY. */
  readonly code: string;
  /** Name of the state, province or territory. */
  readonly name: string;
  /** Other names that forms use for it. */
  readonly aliases: readonly string[];
  /** False for a state that no longer exists. */
  readonly active: boolean;
}

/** A continent. */
export interface Continent {
  /** UN M49 number. */
  readonly id: number;
  /** Two letters. */
  readonly code: string;
  /** English name. */
  readonly name: string;
}

/** A country. */
export interface Country {
  /** ISO 3166-1 number. */
  readonly id: number;
  /** ISO 3166-1 code of two letters. */
  readonly code: string;
  /** ISO 3166-1 code of three letters. */
  readonly alias: string;
  /** English name. */
  readonly name: string;
  /** Continent of the country. */
  readonly continent: Continent;
  /** True if this server has its postal codes. */
  readonly hasPostalCodes: boolean;
  /** False for a country that no longer exists. */
  readonly active: boolean;
}

/** A point on the Earth (WGS 84). */
export interface Coordinates {
  /** Degrees; north is positive. */
  readonly latitude: number;
  /** Degrees; east is positive. */
  readonly longitude: number;
}

/** A city with its state and country. */
export interface Place {
  /** Name of the city. */
  readonly city: string;
  /** Name of the county, or of a district like it; null where it is not known. */
  readonly county: string | null;
  /** State of the city. */
  readonly state: State;
  /** Country of the city. */
  readonly country: Country;
  /** Middle of the postal code, or of its place; null where it is not known. */
  readonly coordinates: Coordinates | null;
}

/** All places of a postal code, the preferred one first. */
export interface Places {
  /**
   * unknown: no place has the code. unsupported: this server has no codes of the country.
   * malformed: no code of the country looks like this.
   */
  readonly status: "found" | "unknown" | "unsupported" | "malformed";
  /** Country of two letters; null where the code exists in several or in none. */
  readonly country: string | null;
  /** The code as it was understood: capitals, single spaces. */
  readonly postalCode: string;
  /** All places of the code, the preferred one first. */
  readonly places: readonly Place[];
  /** Day of the youngest postal data, as in 2026-10-01. */
  readonly dataDate: string;
}

/** A postal code near another one, with its preferred place. */
export interface NearPlace {
  /** The code, in letters and digits alone. */
  readonly postalCode: string;
  /** Distance on the ground, to two digits. */
  readonly distance: number;
  /** Name of the city. */
  readonly city: string;
  /** Name of the county, or of a district like it; null where it is not known. */
  readonly county: string | null;
  /** State of the city. */
  readonly state: State;
  /** Country of the city. */
  readonly country: Country;
  /** Middle of the postal code, or of its place; null where it is not known. */
  readonly coordinates: Coordinates | null;
}

/** Postal codes around one, the nearest first. */
export interface NearPlaces {
  /** unlocated: the coordinates of the code are not known. The others are those of places. */
  readonly status: "found" | "unlocated" | "unknown" | "unsupported" | "malformed";
  /** Unit of the distances. */
  readonly unit: "km" | "mi";
  /** Codes within the radius, of which places has the nearest. */
  readonly count: number;
  /** The preferred place of each code, that which was asked for first. */
  readonly places: readonly NearPlace[];
  /** Day of the youngest postal data, as in 2026-10-01. */
  readonly dataDate: string;
}

/** All countries. */
export interface Countries {
  /** All countries. */
  readonly countries: readonly Country[];
  /** Day of the youngest postal data, as in 2026-10-01. */
  readonly dataDate: string;
}

/** The states of a country. */
export interface States {
  /** The country that was asked for. */
  readonly country: Country;
  /** All its states. */
  readonly states: readonly State[];
  /** Day of the youngest postal data, as in 2026-10-01. */
  readonly dataDate: string;
}

/** A city or postal code that a text may stand for. */
export interface Suggestion {
  /** The code that was searched for, or the only one of the city; null if it has several. */
  readonly postalCode: string | null;
  /** Postal codes of the city. */
  readonly postalCodeCount: number;
  /** Name of the city. */
  readonly city: string;
  /** State of the city. */
  readonly state: State;
  /** Country of the city. */
  readonly country: Country;
}

/** Cities and postal codes that a text may stand for, the most exact first. */
export interface Suggestions {
  /** The most exact first; of equals, those with most postal codes. */
  readonly places: readonly Suggestion[];
  /** Day of the youngest postal data, as in 2026-10-01. */
  readonly dataDate: string;
}

/** A city of one state, with its postal codes. */
export interface CityCodes {
  /** Name of the city. */
  readonly city: string;
  /** State of the city. */
  readonly state: State;
  /** Country of the city. */
  readonly country: Country;
  /** All codes of the city in that state, in letters and digits alone. */
  readonly postalCodes: readonly string[];
}

/** A city in each state that has one, with all its postal codes. */
export interface Cities {
  /** unknown: no city has the name. unsupported: this server has no codes of the country. */
  readonly status: "found" | "unknown" | "unsupported";
  /** The city in each state that has one, that with most codes first. */
  readonly cities: readonly CityCodes[];
  /** Day of the youngest postal data, as in 2026-10-01. */
  readonly dataDate: string;
}

/** Result of comparing a postal code with the names beside it. */
export interface PlaceCheck {
  /** unknown: no place has the code. unsupported: this server has no codes of the country. */
  readonly status: "matches" | "city-differs" | "state-differs" | "unknown" | "unsupported";
  /**
   * Places that match. Where the city differs, those of the code in the state; where the state
   * differs, all of the code.
   */
  readonly places: readonly Place[];
  /** Day of the youngest postal data, as in 2026-10-01. */
  readonly dataDate: string;
}

/** Result of a log-in. The IDs are null when it was refused, and `message` says why. */
export interface LogInOutcome {
  /** True if the visitor is logged in. */
  readonly success: boolean;
  /** ID of the visitor's contact; null if refused. A 64-bit integer, in digits. */
  readonly contactId: string | null;
  /** ID of the visitor's account; null if refused. A 64-bit integer, in digits. */
  readonly recordId: string | null;
  /** For the visitor; null on success. */
  readonly message: string | null;
}

/** The postal code to search around, and how far. */
export interface NearbyQuery {
  /** ISO 3166-1 code of two letters, in either case. Two letters, as in US. */
  readonly country: string;
  /**
   * Postal code as people write it: case, blanks and hyphens do not matter. At most 64 characters.
   */
  readonly postalCode: string;
  /**
   * Radius, from 0.1 to 200; 25 without one. A number from 0.1 to 200 with at most one digit behind
   * the point.
   */
  readonly radius?: string | null | undefined;
  /** Unit of the radius and of the distances; km without one. */
  readonly unit?: "km" | "mi" | null | undefined;
  /** Most codes of the response, from 1 to 100; 20 without one. A whole number from 1 to 100. */
  readonly limit?: string | null | undefined;
}

/** The text that was typed, and where to look. */
export interface SearchQuery {
  /**
   * Beginning of a postal code, or of the name of a city, with a typing error or two. A state may
   * follow after a comma. At most 100 characters.
   */
  readonly q: string;
  /** ISO 3166-1 code of two letters, in either case. Two letters, as in US. */
  readonly country?: string | null | undefined;
  /** Code or name of the state, in any case; all states without one. At most 100 characters. */
  readonly state?: string | null | undefined;
  /** Most suggestions, from 1 to 50; 8 without one. A whole number from 1 to 50. */
  readonly limit?: string | null | undefined;
}

/** The city whose codes to list. */
export interface CityQuery {
  /** ISO 3166-1 code of two letters, in either case. Two letters, as in US. */
  readonly country: string;
  /** Name of the city: case, accents and punctuation do not matter. At most 100 characters. */
  readonly city: string;
  /** Code or name of the state, in any case; all states without one. At most 100 characters. */
  readonly state?: string | null | undefined;
}

/** The part of an address to check. */
export interface CheckedAddress {
  /** ISO 3166-1 code of two letters, in either case. Two letters, as in US. */
  readonly country: string;
  /**
   * Postal code as people write it: case, blanks and hyphens do not matter. At most 64 characters.
   */
  readonly postalCode: string;
  /** Code or name of the state; not checked if it is empty. At most 100 characters. */
  readonly state?: string | null | undefined;
  /** Name of the city; not checked if it is empty. At most 100 characters. */
  readonly city?: string | null | undefined;
}

/** A page shown to a visitor. Everything is optional. */
export interface PageRequest {
  /** ID of the form that was shown. A 64-bit integer, in digits. */
  readonly formId?: string | bigint | null | undefined;
  /** ID of the transaction that the page belongs to. A 64-bit integer, in digits. */
  readonly transId?: string | bigint | null | undefined;
  /** Address of the page that was shown; stored without secrets. */
  readonly pageRequestUrl?: string | null | undefined;
  /** ID of the application instance that shows the form. */
  readonly applicationInstanceId?: number | null | undefined;
  /** True if the page treats its visitor as logged in. */
  readonly isAuthenticated?: boolean | null | undefined;
  /** ID of the visitor's contact. A 64-bit integer, in digits. */
  readonly contactId?: string | bigint | null | undefined;
  /** Width of the visitor's screen, in pixels. */
  readonly screenWidth?: number | null | undefined;
  /** Height of the visitor's screen, in pixels. */
  readonly screenHeight?: number | null | undefined;
  /** ID of the visitor's browser in the application's own list. A 64-bit integer, in digits. */
  readonly browserUserAgentId?: string | bigint | null | undefined;
  /** ID of a session that several applications share. A 64-bit integer, in digits. */
  readonly crossAppSessionId?: string | bigint | null | undefined;
  /** Date and time of the visitor's session. */
  readonly sessionDate?: string | null | undefined;
  /** ID of the conversion that the page request belongs to. A 64-bit integer, in digits. */
  readonly conversionHitId?: string | bigint | null | undefined;
  /** Number of the request method to assume in place of the real one. */
  readonly overrideRequestMethodId?: number | null | undefined;
  /**
   * Unique within its form: a repeated key is stored once. 96 random bits or more, such as a UUID.
   * 8 to 64 letters, digits, _ and -.
   */
  readonly eventKey?: string | null | undefined;
  /** Address of the page before; stored without secrets. */
  readonly referrer?: string | null | undefined;
  /**
   * Kind of event, as in view, start or submit. A word in small letters, digits and -, at most 32
   * characters long.
   */
  readonly kind?: string | null | undefined;
  /** Step of a form of several. At most 100 characters. */
  readonly step?: string | null | undefined;
}

/** Credentials of a visitor. */
export interface Credentials {
  /** Name of the account; case does not matter. */
  readonly userName: string;
  /** Password of the account. */
  readonly password: string;
}

/** The form on which a visitor is. */
export interface FormIds {
  /** ID of the form that asks. A 64-bit integer, in digits. */
  readonly formId?: string | bigint | null | undefined;
  /** ID of the application instance that shows the form. A 64-bit integer, in digits. */
  readonly applicationInstanceId?: string | bigint | null | undefined;
}

/** Which sessions of a visitor end. */
export interface LogOutOptions {
  /** True if all sessions of the account end. */
  readonly everywhere?: boolean | null | undefined;
}
