/** A growing list of unsigned 32-bit numbers, four bytes each. */
export class Column {
  length = 0;
  /** The numbers, then zeros; another array after a `push`. Loops over millions read it without a call for each. */
  values = new Uint32Array(1_024);

  /** 0 when there is no such row. */
  at(row: number): number {
    return this.values[row] ?? 0;
  }

  push(value: number): void {
    if (this.length === this.values.length) {
      // Frees the shorter array at once.
      this.values = new Uint32Array(this.values.buffer.transfer(8 * this.length));
    }
    this.values[this.length++] = value;
  }

  /** All rows as bytes, little-endian on every machine. */
  toBytes(): Uint8Array {
    const bytes = Buffer.alloc(4 * this.length);
    for (let row = 0; row < this.length; row++) bytes.writeUInt32LE(this.at(row), 4 * row);
    return bytes;
  }
}

/** Rows by the value of a column, from 0; those with the same value keep their order. */
export type GroupedRows = (value: number) => Uint32Array;

/** Groups the rows of a column, whose values are below `valueCount`, by a counting sort. */
export function groupRows({ values, length }: Column, valueCount: number): GroupedRows {
  const starts = new Uint32Array(valueCount + 2);
  // Counted two values further on, so that after summing up and placing each value has its own start.
  for (let row = 0; row < length; row++) {
    const value = (values[row] ?? 0) + 2;
    starts[value] = (starts[value] ?? 0) + 1;
  }
  for (let value = 2; value < starts.length; value++) {
    starts[value] = (starts[value] ?? 0) + (starts[value - 1] ?? 0);
  }
  const grouped = new Uint32Array(length);
  for (let row = 0; row < length; row++) {
    const value = (values[row] ?? 0) + 1;
    const at = starts[value] ?? 0;
    grouped[at] = row;
    starts[value] = at + 1;
  }
  return (value) => grouped.subarray(starts[value], starts[value + 1]);
}
