import { BoundedCache } from "../../../lib/bounded-cache.ts";

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
