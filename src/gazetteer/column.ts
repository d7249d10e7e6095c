/** A growing list of unsigned 32-bit numbers, four bytes each. */
export interface Column {
  readonly length: number;
  /** 0 when there is no such row. */
  at(row: number): number;
  push(value: number): void;
}

/** Creates an empty column. */
export function createColumn(): Column {
  let words = new Uint32Array(1024);
  let length = 0;
  return {
    get length() {
      return length;
    },
    at: (row) => words[row] ?? 0,
    push(value) {
      if (length === words.length) {
        const longer = new Uint32Array(2 * length);
        longer.set(words);
        words = longer;
      }
      words[length] = value;
      length++;
    },
  };
}

/** The column as bytes, little-endian on every machine. */
export function toBytes(column: Column): Uint8Array {
  const bytes = Buffer.alloc(4 * column.length);
  for (let row = 0; row < column.length; row++) bytes.writeUInt32LE(column.at(row), 4 * row);
  return bytes;
}
