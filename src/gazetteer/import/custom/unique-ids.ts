import type { Problems } from "./problems.ts";

/** Something with an id, whether the table names it or not. */
export interface Identified {
  readonly id: number;
  /** For messages: `US-NY`, `US`, `NA`. */
  readonly label: string;
  /** Where the table names it; undefined where it has its standard id. */
  readonly line: number | undefined;
}

/** Adds a problem for each id that two things have, at the later of the lines that name them. */
export function refuseSharedIds(
  column: string,
  things: readonly Identified[],
  problems: Problems,
): void {
  for (const sharing of Map.groupBy(things, ({ id }) => id).values()) {
    const [first, ...others] = sharing.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
    if (first === undefined) continue;
    for (const { id, label, line = 1 } of others) {
      const place =
        first.line === undefined
          ? `is the standard id of ${first.label}: give that another one, or choose another`
          : `is that of ${first.label} on line ${first.line}`;
      problems.add(line, `${column} ${id} of ${label} ${place}`);
    }
  }
}
