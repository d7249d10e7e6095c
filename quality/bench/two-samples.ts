/** Distance of two samples, and its probability if both come from the same distribution. */
export interface Difference {
  /** Largest distance of the two shares of values up to a point, 0 to 1 (Kolmogorov–Smirnov). */
  readonly distance: number;
  /** 0 to 1, asymptotic: good from some 40 values each. */
  readonly p: number;
}

/** The two-sample test of Kolmogorov and Smirnov. */
export function compareSamples(one: readonly number[], other: readonly number[]): Difference {
  const [first, second] = [one, other].map((sample) => [...sample].sort((a, b) => a - b));
  const distance = largestDistance(first ?? [], second ?? []);
  const root = Math.sqrt((one.length * other.length) / (one.length + other.length));
  // The correction for samples that are not endless is Stephens' (1970).
  return { distance, p: kolmogorovTail((root + 0.12 + 0.11 / root) * distance) };
}

function largestDistance(first: readonly number[], second: readonly number[]): number {
  let i = 0;
  let j = 0;
  let largest = 0;
  while (i < first.length && j < second.length) {
    const value = Math.min(first[i] ?? Number.NaN, second[j] ?? Number.NaN);
    while (first[i] === value) i += 1;
    while (second[j] === value) j += 1;
    largest = Math.max(largest, Math.abs(i / first.length - j / second.length));
  }
  return largest;
}

/** Below it the tail is 1 to more digits than are printed, and its sum needs many terms. */
const certain = 0.2;
const terms = 100;

/** Probability that Kolmogorov's variable is larger: 2 Σ (−1)^(k−1) exp(−2 k² x²). */
function kolmogorovTail(x: number): number {
  if (x < certain) return 1;
  let sum = 0;
  for (let k = 1; k <= terms; k += 1) {
    sum += (k % 2 === 1 ? 2 : -2) * Math.exp(-2 * k * k * x * x);
  }
  return Math.min(1, Math.max(0, sum));
}
