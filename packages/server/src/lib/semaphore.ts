/** Limits how much work runs at the same time; first come, first served. */
export class Semaphore {
  readonly #permits: number;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /** @param permits most work at the same time, 1 or more. */
  constructor(permits: number) {
    this.#permits = permits;
  }

  /** Numbers of works that run, and that wait for a permit. */
  get load(): { readonly running: number; readonly waiting: number } {
    return { running: this.#running, waiting: this.#waiting.length };
  }

  /** Runs the work as soon as a permit is free, and gives the permit back whatever its result. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#running < this.#permits) this.#running += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // The permit is handed over, so that work that comes just now does not overtake.
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}

/** Keys that work needs a permit of, and how many permits each key has. */
export type KeyedPermits = ReadonlyMap<string, number>;

/** Work that waits until all of its permits are free. */
interface WaitingWork {
  readonly needed: KeyedPermits;
  readonly start: () => void;
}

/**
 * Limits how much work runs for each key at a time. Work takes the permits of all its keys at once,
 * never holding one while it waits for another. First come, first served among what could start.
 */
export class KeyedSemaphore {
  readonly #running = new Map<string, number>();
  readonly #waiting: WaitingWork[] = [];

  /** Counts the works of a key that run or wait. */
  loadOf(key: string): number {
    const waiting = this.#waiting.filter(({ needed }) => needed.has(key));
    return (this.#running.get(key) ?? 0) + waiting.length;
  }

  /**
   * Runs the work as soon as a permit of every key is free, and gives them back at its end.
   *
   * @param work may give the permit of a key back before it ends.
   */
  async run<Result>(
    needed: KeyedPermits,
    work: (release: (key: string) => void) => Promise<Result>,
  ): Promise<Result> {
    if (!this.#tryTake(needed)) {
      await new Promise<void>((start) => this.#waiting.push({ needed, start }));
    }
    const held = new Set(needed.keys());
    const release = (key: string) => {
      if (held.delete(key)) this.#giveBack([key]);
    };
    try {
      return await work(release);
    } finally {
      this.#giveBack(held);
    }
  }

  /** Takes a permit of every key; false, and none taken, when one of them has no free one. */
  #tryTake(needed: KeyedPermits): boolean {
    for (const [key, permits] of needed) {
      if ((this.#running.get(key) ?? 0) >= permits) return false;
    }
    for (const key of needed.keys()) this.#running.set(key, (this.#running.get(key) ?? 0) + 1);
    return true;
  }

  #giveBack(keys: Iterable<string>): void {
    for (const key of keys) {
      const left = (this.#running.get(key) ?? 0) - 1;
      if (left > 0) this.#running.set(key, left);
      else this.#running.delete(key);
    }
    for (let i = 0; i < this.#waiting.length; ) {
      const next = this.#waiting[i];
      if (next !== undefined && this.#tryTake(next.needed)) {
        this.#waiting.splice(i, 1);
        next.start();
      } else i += 1;
    }
  }
}
