/** A number of places for work that is done at the same time; who comes first is served first. */
export class Slots {
  readonly #places: number;
  #free: number;
  readonly #waiting: (() => void)[] = [];

  /** @param places most works at the same time, 1 or more. */
  constructor(places: number) {
    if (!Number.isSafeInteger(places) || places < 1) {
      throw new RangeError(`Not a number of places: ${places}`);
    }
    this.#places = places;
    this.#free = places;
  }

  /** Works that are being done, and that wait for a place. */
  get load(): { readonly running: number; readonly waiting: number } {
    return { running: this.#places - this.#free, waiting: this.#waiting.length };
  }

  /** Does the work as soon as a place is free, and gives the place back whatever comes of it. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // The place is handed over, so that nobody who comes just now overtakes.
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}
