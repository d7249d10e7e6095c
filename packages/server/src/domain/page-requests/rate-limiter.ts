import { BoundedCache } from "../../lib/bounded-cache.ts";

/** Fewest networks that are remembered; those that have not sent for longest are forgotten. */
const networksRemembered = 10_000;
const minuteMs = 60_000;

interface Bucket {
  readonly tokens: number;
  readonly atMs: number;
}

/** Limits page requests by a token bucket for each network: so many at once and in a minute. */
export class NetworkRateLimiter {
  readonly #perMinute: number;
  readonly #elapsed: () => number;
  readonly #buckets = new BoundedCache<string, Bucket>(networksRemembered);

  /** @param elapsed milliseconds of a clock that never jumps. */
  constructor(perMinute: number, elapsed: () => number) {
    this.#perMinute = perMinute;
    this.#elapsed = elapsed;
  }

  /** Counts page requests of a network if they are within the limit; else false. */
  consume(network: string, count = 1): boolean {
    const atMs = this.#elapsed();
    const before = this.#buckets.get(network) ?? { tokens: this.#perMinute, atMs };
    const refilled = before.tokens + ((atMs - before.atMs) * this.#perMinute) / minuteMs;
    const tokens = Math.min(this.#perMinute, refilled);
    if (tokens < count) return false;
    this.#buckets.set(network, { tokens: tokens - count, atMs });
    return true;
  }
}
