import { isUtf8 } from "node:buffer";
import type { InputFile } from "./input-file.ts";
import { RowFileError } from "./row-file-error.ts";

/** Whole lines of a text. */
export interface Block {
  /** Valid UTF-8. Lines end with a line feed, the very last one perhaps without. */
  readonly bytes: Buffer;
  /** Number of the first line, counted from 1. */
  readonly line: number;
}

/** Limits of a text. */
export interface BlockLimits {
  /** Longest line, in bytes. */
  readonly lineBytesMax: number;
  /** Describes the problem of a text's beginning; undefined when it may be right. */
  readonly findWrongStart: (start: Buffer) => string | undefined;
}

const lineFeed = 10;

/** Longest text, in bytes: ten million rows at some 400 bytes. A decompression bomb is longer. */
const textBytesMax = 4 * 2 ** 30;

/**
 * Cuts a text into blocks of whole lines.
 *
 * @throws {RowFileError} when the text begins wrong, is not UTF-8, or it or a line is too long.
 */
export async function* readBlocks(file: InputFile, limits: BlockLimits): AsyncGenerator<Block> {
  const { name } = file;
  const { lineBytesMax, findWrongStart } = limits;
  let rest = Buffer.alloc(0);
  let line = 1;
  let byteLength = 0;

  function toBlock(bytes: Buffer): Block {
    refuseStart(bytes);
    if (!isUtf8(bytes)) throw describeBadByte(bytes, name, line);
    return { bytes, line };
  }
  function refuseStart(bytes: Buffer): void {
    const wrong = line === 1 ? findWrongStart(bytes) : undefined;
    if (wrong !== undefined) throw new RowFileError(name, wrong);
  }

  for await (const chunk of file.read()) {
    byteLength += chunk.length;
    if (byteLength > textBytesMax) {
      throw new RowFileError(name, `has more than ${textBytesMax / 2 ** 30} GiB of text`);
    }
    const all = Buffer.concat([rest, chunk]);
    const end = all.lastIndexOf(lineFeed) + 1;
    rest = all.subarray(end);
    if (rest.length > lineBytesMax) {
      refuseStart(all);
      line += countLines(all);
      throw new RowFileError(name, `has a line of more than ${lineBytesMax} bytes`, { line });
    }
    if (end === 0) continue;
    const block = toBlock(all.subarray(0, end));
    yield block;
    line += countLines(block.bytes);
  }
  if (rest.length > 0) yield toBlock(rest);
}

/** Names the first byte that is not UTF-8, with its line. */
function describeBadByte(bytes: Buffer, name: string, firstLine: number): RowFileError {
  const before = Buffer.byteLength(bytes.toString("utf8").split("\ufffd", 1)[0] ?? "");
  const line = firstLine + countLines(bytes.subarray(0, before));
  const start = bytes.lastIndexOf(lineFeed, before - 1) + 1;
  // A cut file is better refused than read with half a character at its end.
  if (bytes.at(-1) !== lineFeed && before > bytes.length - 4) {
    return new RowFileError(name, "ends in the middle of a character: download it again", { line });
  }
  const at = `byte ${before - start + 1} (0x${bytes[before]?.toString(16).toUpperCase()})`;
  const advice = "If the file is Latin-1 (ISO 8859-1), convert it: iconv -f latin1 -t utf-8";
  return new RowFileError(name, `is not UTF-8. See ${at}. ${advice}`, { line });
}

function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(lineFeed); at !== -1; at = bytes.indexOf(lineFeed, at + 1)) count++;
  return count;
}
