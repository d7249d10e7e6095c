/** How many attempts on one key are allowed; times in milliseconds. */
export interface RateLimit {
  /** Most attempts of a window. */
  readonly windowMax: number;
  readonly windowMs: number;
  /** Whether a window ends that long after its first attempt, or after the latest one that was allowed. */
  readonly windowFrom: "first" | "latest";
  /**
   * The attempt of this number since the last success is followed by a delay of `delayMs`, which doubles with each
   * further one up to `delayMaxMs`.
   */
  readonly delayFrom: number;
  readonly delayMs: number;
  readonly delayMaxMs: number;
  /** Attempts since the last success after which no more are allowed. */
  readonly blockAt: number;
}

/** More attempts than anybody makes. */
const never = 2_000_000_000;

/** Attempts on one account: 5 at once, then with growing delays, 10 in 15 minutes, 100 in all (decision 0023). */
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

/** Cookies that log nobody in, from one network: 60 in a minute (decision 0023). */
export const cookieRateLimit: RateLimit = { ...networkRateLimit, windowMax: 60, windowMs: 60_000 };

/** What came of a reservation. */
export interface RateLimitDecision {
  readonly isAllowed: boolean;
  /** Attempts since the last success, this one included if it was allowed. */
  readonly attempts: number;
  /** Earliest time of the next attempt that may be allowed, UTC in milliseconds. */
  readonly nextAtMs: number;
}

/** Seconds to wait until a time, at least one: what a caller is told. */
export function secondsUntil(atMs: number, nowMs: number): number {
  return Math.max(1, Math.ceil((atMs - nowMs) / 1_000));
}

/** Counts attempts, for all nodes together. */
export interface RateLimiter {
  /** Counts an attempt before it is made, in one step that no other attempt can come between. */
  consume(key: string, rule: RateLimit, nowMs: number): Promise<RateLimitDecision>;
}
