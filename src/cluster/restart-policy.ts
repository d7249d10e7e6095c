/** Deaths within this time count, in milliseconds. */
const windowMs = 60_000;
/** Deaths of that time for each worker after which there is a pause: fewer are chance, and nobody shall wait for them. */
const freeDeaths = 3;
/** The shortest and the longest pause, in milliseconds. */
const pauseMs = { least: 250, most: 10_000 };
/** Starts in a row that may fail while nobody serves: what has failed so often needs a person. */
const failedStartsMax = 5;

/** When a worker is replaced that has died. */
export interface RestartPolicy {
  /** Counts a death; returns how long to wait with the replacement, in milliseconds. */
  died(): number;
  /** Counts a start that failed; true when it is no use to go on, unless another worker serves. */
  failedToStart(): boolean;
  /** A worker serves. */
  started(): void;
}

/**
 * @param workers how many there are.
 * @param now milliseconds of a clock that never jumps.
 */
export function createRestartPolicy(workers: number, now: () => number): RestartPolicy {
  let deaths: number[] = [];
  let failedStarts = 0;
  return {
    died: () => {
      deaths = [...deaths.filter((atMs) => atMs > now() - windowMs), now()];
      const surplus = deaths.length - freeDeaths * workers;
      return surplus <= 0 ? 0 : Math.min(pauseMs.most, pauseMs.least * 2 ** (surplus - 1));
    },
    failedToStart: () => {
      failedStarts += 1;
      return failedStarts >= failedStartsMax;
    },
    started: () => {
      failedStarts = 0;
    },
  };
}
