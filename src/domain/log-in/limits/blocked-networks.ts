/** Time for which a network is refused without asking the database, in milliseconds. */
const freshMs = 1_000;
/** Networks that are remembered; with one more all are forgotten, which costs a question each. */
const networksMax = 1_000;

interface Held {
  readonly untilMs: number;
  readonly askedAtMs: number;
}

/** Networks that were held a moment ago: a flood from one of them does not reach the database. */
export interface BlockedNetworks {
  /** Until when a network is held; undefined where that has to be asked. */
  find(key: string, nowMs: number): number | undefined;
  /** Remembers that a network is held; true where that was not known yet. */
  keep(key: string, untilMs: number, nowMs: number): boolean;
}

/** Starts with none. */
export function createBlockedNetworks(): BlockedNetworks {
  const held = new Map<string, Held>();
  return {
    find: (key, nowMs) => {
      const known = held.get(key);
      if (known === undefined || nowMs >= known.untilMs) return undefined;
      return Math.abs(nowMs - known.askedAtMs) < freshMs ? known.untilMs : undefined;
    },
    keep: (key, untilMs, nowMs) => {
      const isNews = held.get(key)?.untilMs !== untilMs;
      if (isNews && held.size >= networksMax) held.clear();
      held.set(key, { untilMs, askedAtMs: nowMs });
      return isNews;
    },
  };
}
