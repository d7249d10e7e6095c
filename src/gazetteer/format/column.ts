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

  /** Changes an existing row. */
  set(row: number, value: number): void {
    const piece = this.#pieces[row >>> pieceBits];
    if (piece !== undefined) piece[row & lastOfPiece] = value;
  }

  /** All rows as bytes, little-endian on every machine. */
  toBytes(): Uint8Array {
    const bytes = Buffer.alloc(4 * this.length);
    for (let row = 0; row < this.length; row++) bytes.writeUInt32LE(this.at(row), 4 * row);
    return bytes;
  }
}
