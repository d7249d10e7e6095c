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

/** Who sent a page request, as far as the connection tells. */
export interface Sender {
  /** Id of the HTTP request, as the log has it. */
  readonly requestId: string;
  /** IPv4 or IPv6 address; null where it is not known. */
  readonly address: string | null;
  readonly userAgent: string | null;
}

/** A page request as it is stored: secrets blanked, the address masked. */
export interface StoredPageRequest extends PageRequest {
  readonly requestId: string;
  /** When it arrived, in milliseconds since 1970 UTC. */
  readonly arrivedAtMs: number;
  /** Network of the sender, for example `"192.0.2.0/24"`. */
  readonly network: string | null;
  readonly userAgent: string | null;
}
