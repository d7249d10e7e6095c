/** Networks that are remembered; with one more all are forgotten. */
const networksMax = 10_000;
const minuteMs = 60_000;

interface Bucket {
  readonly tokens: number;
  readonly atMs: number;
}

/** Whether one more page request of a network is within the limit; counts it where it is. */
export type NetworkLimit = (network: string) => boolean;

/**
 * Limits page requests by a token bucket for each network: so many at once, and as many in each minute.
 *
 * @param elapsed milliseconds of a clock that never jumps.
 */
export function createNetworkLimit(perMinute: number, elapsed: () => number): NetworkLimit {
  const buckets = new Map<string, Bucket>();
  return (network) => {
    const atMs = elapsed();
    const before = buckets.get(network) ?? { tokens: perMinute, atMs };
    const refilled = before.tokens + ((atMs - before.atMs) * perMinute) / minuteMs;
    const tokens = Math.min(perMinute, refilled);
    if (tokens < 1) return false;
    if (buckets.size >= networksMax && !buckets.has(network)) buckets.clear();
    buckets.set(network, { tokens: tokens - 1, atMs });
    return true;
  };
}
