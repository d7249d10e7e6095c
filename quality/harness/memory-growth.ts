import { descriptorsOf, residentOf } from "./process-memory.ts";
import { median } from "./tables.ts";

/** State of a server that is never restarted, at one moment. */
export interface MemorySample {
  /** Resident memory. */
  readonly bytes: number;
  /** Open file descriptors. */
  readonly descriptors: number;
}

/** Fewest samples that prove anything: in the first minutes every server grows. */
const samplesMin = 40;

/**
 * Most growth from the second to the last quarter, as a share: medians vary by some percent; a leak
 * of 1 KB a request would be 90 MB between these quarters of an hour, half of what it holds.
 */
const growthMax = 0.1;

/** Most additional descriptors in the last quarter: one leaked by each fault would be thirty. */
const descriptorsMax = 3;

/** Samples a process now. */
export function sampleMemory(pid: number): MemorySample {
  return { bytes: residentOf(pid), descriptors: descriptorsOf(pid) };
}

/** Lists what grew between quarters of evenly spaced samples, a sentence each; none if too few. */
export function findGrowth(samples: readonly MemorySample[]): readonly string[] {
  if (samples.length < samplesMin) return [];
  const quarter = samples.length / 4;
  const second = samples.slice(quarter, quarter * 2);
  const last = samples.slice(quarter * 3);
  const growths: string[] = [];
  const compare = (
    what: string,
    of: (sample: MemorySample) => number,
    most: (was: number) => number,
  ) => {
    const was = median(second.map(of));
    const is = median(last.map(of));
    if (is > most(was)) growths.push(`${what}: ${was} in the second quarter, ${is} in the last`);
  };
  compare(
    "bytes of memory",
    ({ bytes }) => bytes,
    (was) => was * (1 + growthMax),
  );
  compare(
    "open descriptors",
    ({ descriptors }) => descriptors,
    (was) => was + descriptorsMax,
  );
  return growths;
}
