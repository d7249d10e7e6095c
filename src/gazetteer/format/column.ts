/** A growing list of unsigned 32-bit numbers, four bytes each. */
export interface Column {
  readonly length: number;
  /** 0 when there is no such row. */
  at(row: number): number;
  push(value: number): void;
  /** Changes a row that is there. */
  set(row: number, value: number): void;
}

/** Rows of a piece: a power of two, large enough to be worth an object. */
const pieceBits = 16;
const pieceRows = 2 ** pieceBits;
const lastOfPiece = pieceRows - 1;
/** Rows of the first piece before it grows, because most columns stay short. */
const firstRows = 1_024;

/** Creates an empty column. Pieces, because a list that doubles its size leaves as much behind as it holds. */
export function createColumn(): Column {
  const pieces = [new Uint32Array(firstRows)];
  let length = 0;

  /** The piece that the next row goes into, with room for it. */
  function nextPiece(): Uint32Array {
    const number = length >>> pieceBits;
    const piece = pieces[number] ?? new Uint32Array(pieceRows);
    pieces[number] = piece;
    if ((length & lastOfPiece) < piece.length) return piece;
    const longer = new Uint32Array(2 * piece.length);
    longer.set(piece);
    pieces[number] = longer;
    return longer;
  }

  return {
    get length() {
      return length;
    },
    at: (row) => pieces[row >>> pieceBits]?.[row & lastOfPiece] ?? 0,
    push(value) {
      nextPiece()[length & lastOfPiece] = value;
      length++;
    },
    set(row, value) {
      const piece = pieces[row >>> pieceBits];
      if (piece !== undefined) piece[row & lastOfPiece] = value;
    },
  };
}

/** The column as bytes, little-endian on every machine. */
export function toBytes(column: Column): Uint8Array {
  const bytes = Buffer.alloc(4 * column.length);
  for (let row = 0; row < column.length; row++) bytes.writeUInt32LE(column.at(row), 4 * row);
  return bytes;
}
