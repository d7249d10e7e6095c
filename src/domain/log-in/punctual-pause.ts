import type { LogInParts } from "./log-in-parts.ts";
import { createRecentTimes } from "./recent-times.ts";

/**
 * A pause of so many milliseconds, with fractions, that ends on time as often as not. Timers end late, by 0.3 to 0.5 ms
 * in the middle (a trial on a busy machine): enough to tell who paused from who did not, out of a few hundred attempts.
 */
export function createPunctualPause({
  pause,
  elapsed,
  random,
}: Pick<LogInParts, "pause" | "elapsed" | "random">): (ms: number) => Promise<void> {
  const lateness = createRecentTimes(random);
  return async (ms) => {
    const shorterMs = Math.max(0, ms - (lateness.middle() ?? 0));
    // Up or down by chance: timers know whole milliseconds only, and cutting would be seen.
    const wholeMs = Math.floor(shorterMs + random());
    const sinceMs = elapsed();
    await pause(wholeMs);
    lateness.keep(Math.max(0, elapsed() - sinceMs - wholeMs));
  };
}
