import { LogInUnavailableError } from "../log-in-store.ts";

/** A failure that took so long, in milliseconds, is shared by all calls that waited meanwhile. */
const slowMs = 1_000;

/**
 * Stops calls to a database that is locked or does not respond: where one call has failed after a long wait, those that arrived before
 * that failure fail with it. Each would otherwise wait as long in its turn (decision 0023). A failure that comes at once is not shared: it
 * delays no other call, and may concern one log-in alone.
 */
export class CircuitBreaker {
  readonly #elapsed: () => number;
  #latest: { readonly cause: LogInUnavailableError; readonly atMs: number } | undefined;

  /** @param elapsed milliseconds of a clock that never jumps. */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /**
   * Calls the database for a log-in that arrived at a time.
   *
   * @throws {LogInUnavailableError} at once where another call has failed slowly since then.
   */
  async call<Result>(arrivedMs: number, query: () => Promise<Result>): Promise<Result> {
    if (this.#latest !== undefined && this.#latest.atMs > arrivedMs) throw this.#latest.cause;
    const startedMs = this.#elapsed();
    try {
      return await query();
    } catch (cause) {
      const atMs = this.#elapsed();
      const isSlow = atMs - startedMs >= slowMs;
      if (isSlow && cause instanceof LogInUnavailableError) this.#latest = { cause, atMs };
      throw cause;
    }
  }
}
