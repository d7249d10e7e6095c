import type { PickRule } from "./report.ts";

/** One row of a postal code, as the choice among its places sees it. Texts are numbers of one table. */
export interface Candidate {
  readonly city: number;
  readonly state: number;
  /** Names of the second and the third level of the row. */
  readonly admin2: number;
  readonly admin3: number;
  /** See `packCoordinates`. */
  readonly coordinates: number;
}

/** How large the city of a row is; 0 when nobody knows. */
export type SizeOf = (row: Candidate) => number;

/** The preferred city of a postal code. */
export interface Pick {
  readonly city: number;
  /** What decided; undefined when there is only one city. */
  readonly rule: PickRule | undefined;
}

/**
 * Chooses among the rows of one postal code in one country, of which there is at least one. The city
 * is the one that (decision 0032)
 *
 * 1. most rows of the code have as the name of their second level: a district and its town;
 * 2. most rows have as the name of their third level: a municipality and its village;
 * 3. is the largest, where any is known to be large;
 * 4. has most rows of the code;
 * 5. comes first in the file.
 */
export function pickCity(rows: readonly Candidate[], sizeOf: SizeOf): Pick {
  const firstRows = new Map<number, Candidate>();
  for (const row of rows) if (!firstRows.has(row.city)) firstRows.set(row.city, row);
  const steps: readonly [rule: PickRule, measure: () => (row: Candidate) => number][] = [
    ["admin2", () => countBy(rows, ({ admin2 }) => admin2)],
    ["admin3", () => countBy(rows, ({ admin3 }) => admin3)],
    ["population", () => sizeOf],
    ["frequency", () => countBy(rows, ({ city }) => city)],
  ];
  let left = [...firstRows.values()];
  let rule: PickRule | undefined;
  for (const [next, measure] of steps) {
    if (left.length === 1) break;
    left = keepLargest(left, measure());
    rule = next;
  }
  const [best] = left;
  if (best === undefined) throw new RangeError("A postal code without rows");
  return { city: best.city, rule: left.length === 1 ? rule : "first" };
}

/** How many rows have the city of a row as the number that `numberOf` reads. */
function countBy(
  rows: readonly Candidate[],
  numberOf: (row: Candidate) => number,
): (row: Candidate) => number {
  const counts = new Map<number, number>();
  for (const row of rows) {
    const number = numberOf(row);
    counts.set(number, (counts.get(number) ?? 0) + 1);
  }
  return ({ city }) => counts.get(city) ?? 0;
}

function keepLargest(rows: readonly Candidate[], measure: (row: Candidate) => number): Candidate[] {
  let largest = Number.NEGATIVE_INFINITY;
  let kept: Candidate[] = [];
  for (const row of rows) {
    const size = measure(row);
    if (size > largest) kept = [];
    if (size >= largest) kept.push(row);
    largest = Math.max(largest, size);
  }
  return kept;
}
