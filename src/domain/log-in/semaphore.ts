/** Limits how much work is done at the same time; first come, first served. */
export class Semaphore {
  readonly #permits: number;
  #free: number;
  readonly #waiting: (() => void)[] = [];

  /** @param permits most works at the same time, 1 or more. */
  constructor(permits: number) {
    if (!Number.isSafeInteger(permits) || permits < 1) {
      throw new RangeError(`Not a number of permits: ${permits}`);
    }
    this.#permits = permits;
    this.#free = permits;
  }

  /** Works that are being done, and that wait for a permit. */
  get load(): { readonly running: number; readonly waiting: number } {
    return { running: this.#permits - this.#free, waiting: this.#waiting.length };
  }

  /** Does the work as soon as a permit is free, and gives the permit back whatever comes of it. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // The permit is handed over, so that work that comes just now does not overtake.
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}
