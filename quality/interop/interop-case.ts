import assert from "node:assert/strict";
import type { BindingTitle, SoapCall, SoapClient, SoapOutcome } from "./soap-client.ts";

/** Columns of the table at the end, in order. */
export const columns = [
  "PostalCodeToCityState",
  "GetCityStateForPostalCode",
  "GetStateListForCountryId",
  "LogPageRequestAsync",
  "TryAutoLogIn",
  "LogInUser",
  "unknown operation",
  "malformed value",
] as const;

/** One client over one binding, with what is only its own. */
export interface Row {
  readonly client: SoapClient;
  readonly binding: BindingTitle;
  /** True when the server is reached over HTTPS. */
  readonly isHttps: boolean;
  /** Tells its page requests and its accounts from those of others. */
  readonly mark: string;
  /** The account of {@link userNameOf} with contact ids at both ends of the range. */
  readonly recordIds: Readonly<Record<"largest" | "smallest", bigint>>;
  /** Values of the page request that was stored last for a page. */
  lastStored(pageUrl: string): Readonly<Record<string, unknown>>;
}

/** One call, and what must come of it. */
export interface InteropCase {
  readonly column: (typeof columns)[number];
  readonly rule: string;
  /** @param mark that of the row. */
  call(mark: string): Omit<SoapCall, "sendsCookie"> & { readonly sendsCookie?: true };
  check(outcome: SoapOutcome, row: Row): void;
}

/** Bounds of 64 bits: more than a double holds. */
export const ends = { largest: 2n ** 63n - 1n, smallest: -(2n ** 63n) } as const;

/** User name of a row's account; more than ASCII. */
export function userNameOf(mark: string, end: keyof typeof ends): string {
  return `Zoë 李 ${end} ${mark}`;
}

/** Media types of responses. */
export const mediaTypes: Readonly<Record<BindingTitle, string>> = {
  "SOAP 1.1": "text/xml",
  "SOAP 1.2": "application/soap+xml",
  "HTTP GET": "text/xml",
  "HTTP POST": "text/xml",
};

/** The members that a client shows; it leaves out what is undefined. */
export function shownAs(
  members: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** Nothing went wrong. */
export function succeeds({ fault, error }: SoapOutcome): void {
  assert.deepEqual({ fault, error }, { fault: null, error: null });
}

/** Nothing went wrong, and there is no result. */
export function isVoid(outcome: SoapOutcome): void {
  succeeds(outcome);
  assert.equal(outcome.result, null);
}
