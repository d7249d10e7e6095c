import type { NameTable } from "../../format/name-table.ts";

/** Gives a text of a table by its number. */
export type TextReader = (number: number) => string;

/** Reads texts of a table, which may go on growing. */
export function createTextReader(texts: NameTable): TextReader {
  let bytes = Buffer.alloc(0);
  let length = 0;
  return (number) => {
    // The bytes of known texts never change: one view of them serves until newer ones are asked for.
    if (number >= length) {
      const { buffer, byteOffset, byteLength } = texts.bytes();
      bytes = Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
      length = texts.length;
    }
    const offset = texts.offsetOf(number);
    return bytes.toString("utf8", offset, offset + texts.byteLengthOf(number));
  };
}
