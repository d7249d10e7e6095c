/** How often a worker says that it lives, and the first process looks whether each has, in milliseconds. */
export const pulseMs = 5_000;
/**
 * Looks in a row at which a worker was silent, after which it is given up: half a minute. Looks are counted, not time, so that a machine
 * that was asleep takes nobody's life.
 */
const silentMax = 6;

/** Notices workers whose event loop stands still: they take no connection, but those that they have wait for them. */
export interface Pulse<Worker> {
  /** Something came from a worker. */
  heard(worker: Worker): void;
  /** Looks at workers; returns those that have been silent for too long. */
  look(workers: Iterable<Worker>): readonly Worker[];
}

/** Begins with nobody heard or missed. */
export function createPulse<Worker extends object>(): Pulse<Worker> {
  const silent = new WeakMap<Worker, number>();
  return {
    heard: (worker) => silent.set(worker, 0),
    look: (workers) =>
      [...workers].filter((worker) => {
        const looks = (silent.get(worker) ?? 0) + 1;
        silent.set(worker, looks);
        return looks > silentMax;
      }),
  };
}
