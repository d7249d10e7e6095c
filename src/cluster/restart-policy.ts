/** Deaths within this time count, in milliseconds. */
const windowMs = 60_000;
/** Deaths of that time for each worker that are chance: their replacements do not wait. */
const freeDeaths = 3;
/** The shortest and the longest delay, in milliseconds. */
const delayMs = { min: 250, max: 10_000 };
/** Starts in a row that may fail while no worker serves: what fails so often needs a person. */
const failedStartsMax = 5;

/** When a worker that died is replaced: at once, and with delays that double when deaths are frequent. */
export class RestartPolicy {
  readonly #workers: number;
  readonly #now: () => number;
  #deaths: number[] = [];
  #failedStarts = 0;

  /** @param now milliseconds of a monotonic clock. */
  constructor(workers: number, now: () => number) {
    this.#workers = workers;
    this.#now = now;
  }

  /** Counts a death; returns the delay of the replacement, in milliseconds. */
  onDeath(): number {
    const now = this.#now();
    this.#deaths = [...this.#deaths.filter((atMs) => atMs > now - windowMs), now];
    const excess = this.#deaths.length - freeDeaths * this.#workers;
    return excess <= 0 ? 0 : Math.min(delayMs.max, delayMs.min * 2 ** (excess - 1));
  }

  /** Counts a start that failed; true when no further one is of use, unless another worker serves. */
  onFailedStart(): boolean {
    this.#failedStarts += 1;
    return this.#failedStarts >= failedStartsMax;
  }

  onStart(): void {
    this.#failedStarts = 0;
  }
}
