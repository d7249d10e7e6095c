/** How often a worker says how many connections it has, in milliseconds. */
export const holdsMs = 500;
/**
 * Most connections that a worker is asked to end at a time: their callers come back at once, and nobody has to take thousands
 * of them in a moment.
 */
const shedMax = 64;
/** A worker has too many beyond this part of its even share and this number: less comes of chance and does no harm. */
const tooMany = { part: 1.25, more: 4 } as const;

/** Sees to it that no worker keeps most of the connections while another has nothing to do. */
export interface Balance<Worker> {
  /**
   * A worker has so many connections. Returns how many of them it is to end.
   *
   * @param all workers that take connections now, this one included; one that has said nothing yet has none.
   */
  heard(worker: Worker, connections: number, all: readonly Worker[]): number;
}

/** Begins with nobody heard. */
export function createBalance<Worker extends object>(): Balance<Worker> {
  const last = new WeakMap<Worker, number>();
  return {
    heard: (worker, connections, all) => {
      last.set(worker, connections);
      const total = all.reduce((sum, one) => sum + (last.get(one) ?? 0), 0);
      const even = total / all.length;
      if (connections <= even * tooMany.part + tooMany.more) return 0;
      return Math.min(shedMax, Math.floor(connections - even));
    },
  };
}
