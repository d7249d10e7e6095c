/** Networks that are remembered; with one more, the one whose last page request is the oldest is forgotten. */
const networksMax = 10_000;
const minuteMs = 60_000;

interface Bucket {
  readonly tokens: number;
  readonly atMs: number;
}

/** Whether one more page request of a network is within the limit; counts it where it is. */
export type NetworkRateLimiter = (network: string) => boolean;

/**
 * Limits page requests by a token bucket for each network: so many at once, and as many in each minute.
 *
 * @param elapsed milliseconds of a clock that never jumps.
 */
export function createNetworkRateLimiter(
  perMinute: number,
  elapsed: () => number,
): NetworkRateLimiter {
  const buckets = new Map<string, Bucket>();
  return (network) => {
    const atMs = elapsed();
    const before = buckets.get(network) ?? { tokens: perMinute, atMs };
    const refilled = before.tokens + ((atMs - before.atMs) * perMinute) / minuteMs;
    const tokens = Math.min(perMinute, refilled);
    if (tokens < 1) return false;
    // A map iterates in the order of insertion, so the first one is the oldest.
    buckets.delete(network);
    buckets.set(network, { tokens: tokens - 1, atMs });
    if (buckets.size > networksMax) buckets.delete(buckets.keys().next().value ?? network);
    return true;
  };
}
