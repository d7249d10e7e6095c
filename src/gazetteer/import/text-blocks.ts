import { isUtf8 } from "node:buffer";
import { describeWrongFile } from "./geonames/wrong-file.ts";
import { ImportError } from "./import-error.ts";

/** Some lines of a text, all of them whole. */
export interface TextBlock {
  /** UTF-8, checked. Lines end with a line feed, the very last one perhaps without. */
  readonly bytes: Buffer;
  /** Of the first line, counted from 1. */
  readonly line: number;
}

/**
 * Longest line, in bytes. The columns of GeoNames have room for some 700 characters, of up to four
 * bytes; the longest line of all countries has 240.
 */
const lineBytesMax = 4096;

/** Longest text, in bytes: ten times all countries with the full files of CA, GB and NL. A bomb is longer. */
const textBytesMax = 4 * 2 ** 30;

const lineFeed = 10;

/**
 * Cuts a text into blocks of whole lines, without a byte order mark.
 *
 * @throws {ImportError} when the text is of another kind, not UTF-8, too long, or has too long a line.
 */
export async function* readBlocks(
  text: AsyncIterable<Uint8Array>,
  name: string,
): AsyncGenerator<TextBlock> {
  let rest = Buffer.alloc(0);
  let [line, byteLength] = [1, 0];
  for await (const chunk of text) {
    byteLength += chunk.length;
    if (byteLength > textBytesMax) throw new ImportError(name, "has more than 4 GiB of text");
    const all = Buffer.concat([rest, chunk]);
    const end = all.lastIndexOf(lineFeed) + 1;
    rest = all.subarray(end);
    if (rest.length > lineBytesMax) throwLongLine(name, all, line);
    if (end === 0) continue;
    const bytes = line === 1 ? readStart(all.subarray(0, end), name) : all.subarray(0, end);
    checkText(bytes, name, line);
    yield { bytes, line };
    line += countLines(bytes);
  }
  if (rest.length === 0) return;
  const bytes = line === 1 ? readStart(rest, name) : rest;
  checkText(bytes, name, line);
  yield { bytes, line };
}

/** The first block without a byte order mark, when it looks like a postal file at all. */
function readStart(bytes: Buffer, name: string): Buffer {
  const wrong = describeWrongFile(bytes);
  if (wrong !== undefined) throw new ImportError(name, wrong);
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return hasMark ? bytes.subarray(3) : bytes;
}

function checkText(bytes: Buffer, name: string, firstLine: number): void {
  if (isUtf8(bytes)) return;
  let line = firstLine;
  for (let start = 0; start < bytes.length; line++) {
    const next = bytes.indexOf(lineFeed, start) + 1;
    const end = next === 0 ? bytes.length : next;
    const text = bytes.subarray(start, end);
    if (!isUtf8(text)) {
      const at = findBadByte(text);
      // Nothing behind it: rather half a character than a wrong one.
      if (next === 0 && at > text.length - 4) throwCutOff(name, line);
      const byte = text[at]?.toString(16).toUpperCase();
      const found = `has byte ${at + 1} (0x${byte}), which is not UTF-8`;
      const advice = "if the file is Latin-1 (ISO 8859-1), convert it: iconv -f latin1 -t utf-8";
      throw new ImportError(name, `${found}; ${advice}`, { line });
    }
    start = end;
  }
}

function throwCutOff(name: string, line: number): never {
  throw new ImportError(name, "ends in the middle of a character: fetch it again", { line });
}

/** Offset of the first byte that belongs to no character. */
function findBadByte(text: Buffer): number {
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    // A character cut in two must not count: it may be a whole one with the bytes that follow.
    const isBad = [0, 1, 2, 3].every((more) => !isUtf8(text.subarray(0, middle + 1 + more)));
    if (isBad) high = middle;
    else low = middle + 1;
  }
  return low;
}

function throwLongLine(name: string, bytes: Buffer, firstLine: number): never {
  const wrong = firstLine === 1 ? describeWrongFile(bytes) : undefined;
  if (wrong !== undefined) throw new ImportError(name, wrong);
  const line = firstLine + countLines(bytes);
  throw new ImportError(name, `has more than ${lineBytesMax} bytes: no line of a postal file`, {
    line,
  });
}

function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(lineFeed); at !== -1; at = bytes.indexOf(lineFeed, at + 1)) count++;
  return count;
}
