/** Work on the same key, a few at a time; who comes first is served first. */
export interface Lanes {
  /** Does the work as soon as its key has a place free. */
  run<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
}

interface Lane {
  busy: number;
  readonly waiting: (() => void)[];
}

/** @param places most works of one key at the same time, 1 or more. */
export function createLanes(places: number): Lanes {
  const lanes = new Map<string, Lane>();

  function leave(key: string, lane: Lane): void {
    const next = lane.waiting.shift();
    // The place is handed over, so that nobody who comes just now overtakes.
    if (next !== undefined) {
      next();
      return;
    }
    lane.busy -= 1;
    if (lane.busy === 0) lanes.delete(key);
  }
  return {
    run: async (key, work) => {
      const lane = lanes.get(key) ?? { busy: 0, waiting: [] };
      lanes.set(key, lane);
      if (lane.busy < places) lane.busy += 1;
      else await new Promise<void>((resolve) => lane.waiting.push(resolve));
      try {
        return await work();
      } finally {
        leave(key, lane);
      }
    },
  };
}
