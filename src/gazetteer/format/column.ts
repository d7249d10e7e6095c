/** Rows of a piece: a power of two, large enough to be worth an object. */
const pieceBits = 16;
const pieceRows = 2 ** pieceBits;
const lastOfPiece = pieceRows - 1;
/** Rows of the first piece before it grows, because most columns stay short. */
const firstRows = 1_024;

/**
 * A growing list of unsigned 32-bit numbers, four bytes each. In pieces: an array that doubles its size leaves as much garbage
 * as it holds.
 */
export class Column {
  length = 0;
  readonly #pieces = [new Uint32Array(firstRows)];

  /** 0 when there is no such row. */
  at(row: number): number {
    return this.#pieces[row >>> pieceBits]?.[row & lastOfPiece] ?? 0;
  }

  push(value: number): void {
    const number = this.length >>> pieceBits;
    let piece = this.#pieces[number];
    if (piece === undefined || (this.length & lastOfPiece) >= piece.length) {
      const longer = new Uint32Array(piece === undefined ? pieceRows : 2 * piece.length);
      if (piece !== undefined) longer.set(piece);
      this.#pieces[number] = longer;
      piece = longer;
    }
    piece[this.length & lastOfPiece] = value;
    this.length++;
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
export function groupRows(column: Column, valueCount: number): GroupedRows {
  const starts = new Uint32Array(valueCount + 2);
  // Counted two values further on, so that after summing up and placing each value has its own start.
  for (let row = 0; row < column.length; row++) {
    const value = column.at(row) + 2;
    starts[value] = (starts[value] ?? 0) + 1;
  }
  for (let value = 2; value < starts.length; value++) {
    starts[value] = (starts[value] ?? 0) + (starts[value - 1] ?? 0);
  }
  const grouped = new Uint32Array(column.length);
  for (let row = 0; row < column.length; row++) {
    const value = column.at(row) + 1;
    const at = starts[value] ?? 0;
    grouped[at] = row;
    starts[value] = at + 1;
  }
  return (value) => grouped.subarray(starts[value], starts[value + 1]);
}
