import { BoundedCache } from "../../../lib/bounded-cache.ts";
import { KeyedSemaphore } from "../../../lib/semaphore.ts";
import type { Audit } from "../audit.ts";
import { LogInUnavailableError } from "../log-in-store.ts";
import type { Tokens } from "../sessions/session.ts";
import type { Visitor } from "../visitor.ts";
import { cookieRateLimit, networkKeyOf, type RateLimiter, secondsUntil } from "./rate-limits.ts";

/** Time for which a network is refused without reading its counter again, in milliseconds. */
const freshMs = 1_000;
/** Networks that are remembered at least; a forgotten one costs a query. */
const networksRemembered = 1_000;

interface Blocked {
  readonly untilMs: number;
  readonly readAtMs: number;
}

/** Networks that are blocked: a flood from one of them does not reach the database. */
export class BlockedNetworks {
  readonly #blocked = new BoundedCache<string, Blocked>(networksRemembered);

  /** Until when a network is blocked; undefined where the caller has to read its counter. */
  find(key: string, nowMs: number): number | undefined {
    const known = this.#blocked.get(key);
    if (known === undefined || nowMs >= known.untilMs) return undefined;
    if (Math.abs(nowMs - known.readAtMs) < freshMs) return known.untilMs;
    // This caller reads it; those that come meanwhile are still refused.
    this.#blocked.set(key, { ...known, readAtMs: nowMs });
    return undefined;
  }

  /** Remembers that a network is blocked; true where that was not known yet. */
  add(key: string, untilMs: number, nowMs: number): boolean {
    const isNew = this.#blocked.get(key)?.untilMs !== untilMs;
    this.#blocked.set(key, { untilMs, readAtMs: nowMs });
    return isNew;
  }
}

/** Collaborators of `CookieLimiter`. */
export interface CookieLimiterDeps {
  readonly store: RateLimiter;
  readonly tokens: Pick<Tokens, "isOurs">;
  readonly audit: Pick<Audit, "record">;
  readonly now: () => number;
}

/**
 * Keeps a flood of made-up cookies from the database (decision 0023). A cookie of this server is
 * always looked up, so its owner stays in; any other unless too many of its network failed.
 */
export class CookieLimiter {
  readonly #deps: CookieLimiterDeps;
  readonly #blockedNetworks = new BlockedNetworks();
  readonly #running = new KeyedSemaphore();

  constructor(deps: CookieLimiterDeps) {
    this.#deps = deps;
  }

  /** Looks a cookie up, or refuses it with the seconds after which another may be tried. */
  async run<Result>(
    visitor: Visitor,
    calls: {
      readonly lookUp: () => Promise<Result>;
      readonly refuse: (retryAfterS: number) => Result;
    },
  ): Promise<Result> {
    const { tokens, now } = this.#deps;
    const { cookie } = visitor;
    if (typeof cookie !== "string" && tokens.isOurs(cookie)) return calls.lookUp();
    const key = networkKeyOf(visitor, "cookies");
    const nowMs = now();
    // More at the same time could not all fail within the limit.
    const permits = cookieRateLimit.windowMax;
    const isFull = this.#running.loadOf(key) >= permits;
    const untilMs = isFull ? nowMs : this.#blockedNetworks.find(key, nowMs);
    if (untilMs !== undefined) return calls.refuse(secondsUntil(untilMs, nowMs));
    return this.#running.run(new Map([[key, permits]]), calls.lookUp);
  }

  /** Counts a failed cookie; resolves to the seconds until another may be, null for at once. */
  async countFailure(visitor: Visitor): Promise<number | null> {
    const { store, audit, now } = this.#deps;
    const key = networkKeyOf(visitor, "cookies");
    const nowMs = now();
    const { isAllowed, nextAtMs } = await store.consume(key, cookieRateLimit, nowMs);
    if (isAllowed) return null;
    const isNew = this.#blockedNetworks.add(key, nextAtMs, nowMs);
    if (isNew) await audit.record("network-blocked", visitor, { reason: "cookies" });
    return secondsUntil(nextAtMs, nowMs);
  }
}

/** A failure that took so long, in milliseconds, is shared by all calls that waited meanwhile. */
const slowMs = 1_000;

/**
 * Stops calls to a database that is locked or does not respond: where one fails after a long wait,
 * those that arrived before fail with it, as each would wait as long (decision 0023). A failure
 * that comes at once is not shared: it delays no other call, and may concern one log-in alone.
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
