import type { Column } from "../../format/column.ts";

/** Rows by their keys. */
export interface KeyGroups {
  /** Numbers of all rows: those of a key side by side, in their order. */
  readonly rows: Uint32Array;
  /** Where the rows of a key begin; those of the next one follow. */
  readonly starts: Uint32Array;
}

/** Groups rows by their keys, which are numbers from 0 to below `keyCount`; in linear time, whatever the order. */
export function groupByKey(keyOf: Column, keyCount: number): KeyGroups {
  const starts = new Uint32Array(keyCount + 2);
  // Counted two places further on: summed up, a key's place then has where the one before it begins.
  for (let row = 0; row < keyOf.length; row++) {
    const place = keyOf.at(row) + 2;
    starts[place] = (starts[place] ?? 0) + 1;
  }
  for (let place = 2; place < starts.length; place++) {
    starts[place] = (starts[place] ?? 0) + (starts[place - 1] ?? 0);
  }
  const rows = new Uint32Array(keyOf.length);
  for (let row = 0; row < keyOf.length; row++) {
    const place = keyOf.at(row) + 1;
    const at = starts[place] ?? 0;
    rows[at] = row;
    starts[place] = at + 1;
  }
  return { rows, starts };
}
