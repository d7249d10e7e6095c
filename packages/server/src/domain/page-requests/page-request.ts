/** A time as a client gave it. */
export interface GivenTime {
  /** To the letter. */
  readonly text: string;
  /** The instant it names, in milliseconds since 1970 UTC; null where it has no zone. */
  readonly instantMs: number | null;
}

/** Types of the fields of a page request. */
interface FieldValues {
  readonly text: string;
  readonly int64: bigint;
  readonly int32: number;
  readonly boolean: boolean;
  readonly time: GivenTime;
}

/** A field of a page request; null where it says nothing. */
export interface PageRequestField {
  readonly kind: keyof FieldValues;
  /** The part of the call that gives it (contract §4.1); absent where the server finds it out. */
  readonly part?: string;
  /** Given over REST alone, where its name is that of the field (decision 0057). */
  readonly overRest?: true;
}

/**
 * The fields of a page request, in the order of columns and exports. Columns have the same names in
 * snake case. A field is also stated in a migration, and in the contract if a caller gives it.
 */
export const pageRequestFields = {
  formId: { kind: "int64", part: "form_id" },
  transId: { kind: "int64", part: "trans_id" },
  pageUrl: { kind: "text", part: "pageRequestUrl" },
  applicationInstanceId: { kind: "int32", part: "applicationInstance_id" },
  isAuthenticated: { kind: "boolean", part: "isAuthenticated" },
  contactId: { kind: "int64", part: "contact_id" },
  screenWidth: { kind: "int32", part: "screenWidth" },
  screenHeight: { kind: "int32", part: "screenHeight" },
  browserUserAgentId: { kind: "int64", part: "browserUserAgent_id" },
  crossAppSessionId: { kind: "int64", part: "crossAppSession_id" },
  sessionDate: { kind: "time", part: "sessionDate" },
  conversionHitId: { kind: "int64", part: "conversionHit_id" },
  overrideRequestMethodId: { kind: "int32", part: "overrideRequestMethodId" },
  /** Key of the page request within its form: one that comes again is stored once. */
  eventKey: { kind: "text", overRest: true },
  referrer: { kind: "text", overRest: true },
  kind: { kind: "text", overRest: true },
  step: { kind: "text", overRest: true },
  /** Network of the sender, for example `"192.0.2.0/24"`. */
  network: { kind: "text" },
  userAgent: { kind: "text" },
} as const satisfies Readonly<Record<string, PageRequestField>>;

type Fields = typeof pageRequestFields;
type FieldName = keyof Fields;
type NamesWith<Fact> = {
  [Name in FieldName]: Fields[Name] extends Fact ? Name : never;
}[FieldName];
type GivenName = NamesWith<{ readonly part: string }>;
type RestName = NamesWith<{ readonly overRest: true }>;
type ValuesOf<Names extends FieldName> = {
  readonly [Name in Names]: FieldValues[Fields[Name]["kind"]] | null;
};

/** One page shown to a visitor, in the words of the client that reports it (contract §4.1). */
export type PageRequest = ValuesOf<GivenName | RestName>;

/** Parts that REST adds to those of the contract. */
export type PageRequestExtras = ValuesOf<RestName>;

/** The parts of a call that gives a page request, by their names in the contract. */
export type PageRequestInput = {
  readonly [Name in GivenName as Fields[Name]["part"]]: PageRequest[Name];
};

/** The session that the cookie of a visitor showed when it arrived (decision 0026). */
export interface VisitorFinding {
  /** null where the cookie names no session. */
  readonly sessionId: bigint | null;
  readonly contactId: bigint | null;
  readonly isLoggedIn: boolean;
}

/** A page request as it is stored: secrets redacted, the address masked. */
export interface StoredPageRequest extends ValuesOf<FieldName> {
  readonly requestId: string;
  /** When it arrived, in milliseconds since 1970 UTC. */
  readonly arrivedAtMs: number;
  /** null where the cookie was not looked at, or the visitor wants privacy. */
  readonly finding: VisitorFinding | null;
}
