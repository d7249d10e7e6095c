import { addressPrefix } from "../../network.ts";
import type { Tokens } from "../sessions/session.ts";
import type { Visitor } from "../visitor.ts";

/** Attempts on one key that are allowed; times in milliseconds. */
export interface RateLimit {
  /** Most attempts of a window. */
  readonly windowMax: number;
  readonly windowMs: number;
  /** Start of the time after which a window ends: its first attempt, or the latest allowed one. */
  readonly windowFrom: "first" | "latest";
  /**
   * The attempt of this number since the last success is followed by a delay of `delayMs`, which
   * doubles with each further one up to `delayMaxMs`.
   */
  readonly delayFrom: number;
  readonly delayMs: number;
  readonly delayMaxMs: number;
  /** Attempts since the last success after which no more are allowed. */
  readonly blockAt: number;
}

/** More attempts than can be made. */
const never = 2_000_000_000;

/** Attempts on one account: 5, then with growing delays, 10 in 15 minutes, 100 (decision 0023). */
export const accountRateLimit: RateLimit = {
  windowMax: 10,
  windowMs: 900_000,
  windowFrom: "latest",
  delayFrom: 5,
  delayMs: 1_000,
  delayMaxMs: 300_000,
  blockAt: 100,
};

/** Failed attempts from one network: 30 in 5 minutes (decision 0023). */
export const networkRateLimit: RateLimit = {
  windowMax: 30,
  windowMs: 300_000,
  windowFrom: "first",
  delayFrom: never,
  delayMs: 0,
  delayMaxMs: 0,
  blockAt: never,
};

/** Cookies from one network that fail to log in: 60 in a minute (decision 0023). */
export const cookieRateLimit: RateLimit = { ...networkRateLimit, windowMax: 60, windowMs: 60_000 };

/** Decision of a limit on an attempt. */
export interface RateLimitDecision {
  readonly isAllowed: boolean;
  /** Attempts since the last success, this one included if it was allowed. */
  readonly attempts: number;
  /** Earliest time of the next attempt that may be allowed, UTC in milliseconds. */
  readonly nextAtMs: number;
}

/** Counts attempts, for all nodes together. */
export interface RateLimiter {
  /** Counts an attempt before it is made, in one step that no other attempt can come between. */
  consume(key: string, limit: RateLimit, nowMs: number): Promise<RateLimitDecision>;
}

/** Seconds to wait until a time, at least one: the value of `Retry-After`. */
export function secondsUntil(atMs: number, nowMs: number): number {
  return Math.max(1, Math.ceil((atMs - nowMs) / 1_000));
}

/** Keys that an attempt to log in is counted under. */
export interface RateLimitKeys {
  readonly account: string;
  readonly network: string;
}

/** Key of the attempts on a name, whether or not an account or an operator has it. */
export function accountKeyOf(
  tokens: Pick<Tokens, "nameKey">,
  foldedUserName: string,
  of: "account" | "operator" = "account",
): string {
  return `${of}:${tokens.nameKey(foldedUserName)}`;
}

/**
 * Key of a network's failed log-ins of visitors, their cookies, or failed log-ins of operators.
 * Callers without an address share one.
 */
export function networkKeyOf(
  { address }: Pick<Visitor, "address">,
  counted: "network" | "cookies" | "operators",
): string {
  return `${counted}:${(address === null ? null : addressPrefix(address)) ?? "unknown"}`;
}

/** Keys of a device where the account is logged in, which no stranger or neighbour can use up. */
export function ownerKeysOf(sessionId: bigint): RateLimitKeys {
  return { account: `session:${sessionId}`, network: `network of session:${sessionId}` };
}
