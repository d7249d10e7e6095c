import { median } from "../harness/tables.ts";

/** State of the server that is never killed, at one moment. */
export interface MemorySample {
  /** Since the load began, in milliseconds. */
  readonly atMs: number;
  /** Resident memory. */
  readonly bytes: number;
  /** Open file descriptors. */
  readonly descriptors: number;
}

/** One of the figures of a sample. */
export type Sample = (sample: MemorySample) => number;

/**
 * Most growth from the second to the last quarter, as a share: medians vary by some percent; a leak
 * of 1 KB a request would be 300 MB between these quarters of an hour, more than it holds.
 */
const growthMax = 0.1;

/** Most additional descriptors in the last quarter: one leaked per kill would be thirty. */
const descriptorsMax = 3;

/** Medians of a figure in each of some equal parts of the time; NaN for a part without a sample. */
export function mediansOf(
  samples: readonly MemorySample[],
  of: Sample,
  parts: number,
): readonly number[] {
  const endMs = (samples.at(-1)?.atMs ?? 0) + 1;
  return Array.from({ length: parts }, (_, part) =>
    median(samples.filter(({ atMs }) => Math.floor((atMs * parts) / endMs) === part).map(of)),
  );
}

/** Everything that grew from the second quarter to the last, a sentence each. */
export function findGrowth(samples: readonly MemorySample[]): readonly string[] {
  const grown = (what: string, of: Sample, isGrown: (second: number, last: number) => boolean) => {
    const [, second = Number.NaN, , last = Number.NaN] = mediansOf(samples, of, 4);
    // A quarter without a sample is no proof of anything.
    if (!Number.isNaN(second) && !Number.isNaN(last) && !isGrown(second, last)) return [];
    return [`${what}: ${second} in the second quarter, ${last} in the last`];
  };
  const isMore = (second: number, last: number) => last > second * (1 + growthMax);
  return [
    ...grown("bytes of memory", ({ bytes }) => bytes, isMore),
    ...grown(
      "open descriptors",
      ({ descriptors }) => descriptors,
      (second, last) => last > second + descriptorsMax,
    ),
  ];
}
