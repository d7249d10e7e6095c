/** A time as a client gave it. */
export interface GivenTime {
  /** To the letter. */
  readonly text: string;
  /** The instant it names, in milliseconds since 1970 UTC; null where it names none, being without a zone. */
  readonly instantMs: number | null;
}

/** One page shown to a visitor, in the words of the client that tells it; null where it said nothing (contract §4.1). */
export interface PageRequest {
  readonly formId: bigint | null;
  readonly transId: bigint | null;
  readonly pageUrl: string | null;
  readonly applicationInstanceId: number | null;
  readonly isAuthenticated: boolean | null;
  readonly contactId: bigint | null;
  readonly screenWidth: number | null;
  readonly screenHeight: number | null;
  readonly browserUserAgentId: bigint | null;
  readonly crossAppSessionId: bigint | null;
  readonly sessionDate: GivenTime | null;
  readonly conversionHitId: bigint | null;
  readonly overrideRequestMethodId: number | null;
}

/** What the cookie of a visitor told us when a page request arrived (decision 0026). */
export interface VisitorFinding {
  /** null where the cookie names no session. */
  readonly sessionId: bigint | null;
  readonly contactId: bigint | null;
  readonly isLoggedIn: boolean;
}

/** A page request as it is stored: secrets blanked, the address masked. */
export interface StoredPageRequest extends PageRequest {
  readonly requestId: string;
  /** When it arrived, in milliseconds since 1970 UTC. */
  readonly arrivedAtMs: number;
  /** Network of the sender, for example `"192.0.2.0/24"`. */
  readonly network: string | null;
  readonly userAgent: string | null;
  /** null where nobody looked, or the visitor wants privacy. */
  readonly finding: VisitorFinding | null;
}
