import { BoundedCache } from "../../../lib/bounded-cache.ts";
import { LogInUnavailableError } from "../log-in-store.ts";

/** Time for which a network is refused without reading its counter again, in milliseconds. */
const freshMs = 1_000;
/** Networks that are remembered at least; a forgotten one costs a query. */
const networksRemembered = 1_000;

interface Blocked {
  readonly untilMs: number;
  readonly readAtMs: number;
}

/** Networks that were blocked a moment ago: a flood from one of them does not reach the database. */
export class BlockedNetworks {
  readonly #blocked = new BoundedCache<string, Blocked>(networksRemembered);

  /** Until when a network is blocked; undefined where its counter has to be read. */
  find(key: string, nowMs: number): number | undefined {
    const known = this.#blocked.get(key);
    if (known === undefined || nowMs >= known.untilMs) return undefined;
    return Math.abs(nowMs - known.readAtMs) < freshMs ? known.untilMs : undefined;
  }

  /** Remembers that a network is blocked; true where that was not known yet. */
  add(key: string, untilMs: number, nowMs: number): boolean {
    const isNew = this.#blocked.get(key)?.untilMs !== untilMs;
    this.#blocked.set(key, { untilMs, readAtMs: nowMs });
    return isNew;
  }
}

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
