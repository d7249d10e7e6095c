import { LogInUnavailableError } from "../log-in-store.ts";

/** A failure that somebody has waited for so long is that of all who waited meanwhile, in milliseconds. */
const lateMs = 1_000;

/** What the database has failed to do after a long time: because of a lock, or without any answer. */
export interface CircuitBreaker {
  /**
   * Asks the database for somebody who came at a time. Where another one has waited long in vain since then, it
   * is not asked: whoever waits for a turn would else wait as long again, and the next one after that.
   *
   * @throws {LogInUnavailableError} at once in that case, the same that the other one got.
   */
  call<Result>(cameMs: number, ask: () => Promise<Result>): Promise<Result>;
}

/**
 * Starts with none. A failure that comes at once holds up nobody, and may be that of one log-in alone: it is not shared.
 *
 * @param elapsed milliseconds of a clock that never jumps.
 */
export function createCircuitBreaker(elapsed: () => number): CircuitBreaker {
  let latest: { readonly cause: LogInUnavailableError; readonly atMs: number } | undefined;
  return {
    call: async (cameMs, ask) => {
      if (latest !== undefined && latest.atMs > cameMs) throw latest.cause;
      const sinceMs = elapsed();
      try {
        return await ask();
      } catch (cause) {
        const atMs = elapsed();
        const isLate = atMs - sinceMs >= lateMs;
        if (isLate && cause instanceof LogInUnavailableError) latest = { cause, atMs };
        throw cause;
      }
    },
  };
}
