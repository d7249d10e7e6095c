/** So many log-ins wait for their hash that one more is refused: the same call may succeed in a moment. */
export class TooManyLogInsError extends Error {
  constructor() {
    super("Too many log-ins wait for their turn");
    this.name = "TooManyLogInsError";
  }
}

/** Lets log-ins in, a bounded number at a time. */
export interface Admission {
  /**
   * Runs work when all work on the same key that came before has ended: attempts on one account are made one after the
   * other, so that the owner's own, which come at the same time, do not count against each other.
   *
   * @throws {TooManyLogInsError} at once when there is too much to do; nothing has been done then.
   */
  run<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
}

/** @param max work that may be running or waiting at the same time. */
export function createAdmission(max: number): Admission {
  const last = new Map<string, Promise<void>>();
  let count = 0;
  return {
    run: async (key, work) => {
      if (count >= max) throw new TooManyLogInsError();
      count += 1;
      const before = last.get(key);
      const { promise, resolve } = Promise.withResolvers<void>();
      last.set(key, promise);
      try {
        await before;
        return await work();
      } finally {
        count -= 1;
        if (last.get(key) === promise) last.delete(key);
        resolve();
      }
    },
  };
}
