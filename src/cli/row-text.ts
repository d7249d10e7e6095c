import { createReadStream, fstatSync, openSync } from "node:fs";
import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { describeFileError } from "../lib/file-error.ts";
import { CommandError } from "./exit-codes.ts";
import { toPrintable } from "./io/printable.ts";
import type { Terminal } from "./io/terminal.ts";

const utf16 =
  "is UTF-16: save it as UTF-8, for example with iconv --from-code=UTF-16 --to-code=UTF-8";
/** Bytes by which a file is known that is no text. */
const marks: readonly { readonly bytes: readonly number[]; readonly complaint: string }[] = [
  {
    bytes: [0x50, 0x4b, 0x03, 0x04],
    complaint: "is a zip archive: unpack it and name the file in it",
  },
  { bytes: [0xff, 0xfe], complaint: utf16 },
  { bytes: [0xfe, 0xff], complaint: utf16 },
];
const gzipMark = [0x1f, 0x8b];
const lineFeed = 0x0a;
/** Bytes of a file that are read at once: few enough to hold, and enough not to wait for each. */
const readBytes = 65_536;

/** A text that is read piece by piece. */
export interface RowText {
  /** What it is called in messages, for example `accounts.csv` or `Standard input`. */
  readonly name: string;
  /** Pieces of it without a byte order mark. Throws {CommandError} when it cannot be read or is not UTF-8. */
  readonly pieces: AsyncIterable<string>;
  /** How much of the file has been read, 0 to 1; undefined where its size is not known. */
  readonly share: () => number | undefined;
}

/** Bytes and how many of them have been read. */
interface Source {
  readonly bytes: AsyncIterable<string | Uint8Array>;
  /** undefined where nobody knows. */
  readonly byteLength: number | undefined;
}

/**
 * Opens a file, or standard input for `-`; gzip is unpacked on the way.
 *
 * @throws {CommandError} when there is no such file.
 */
export function openRowText(file: string, console: Terminal): RowText {
  const isInput = file === "-";
  const name = isInput ? "Standard input" : toPrintable(file);
  const { bytes, byteLength } = isInput ? inputSource(console) : fileSource(file, name);
  let readLength = 0;
  const counted = readable(bytes, name, (length) => {
    readLength += length;
  });
  return {
    name,
    pieces: decode(unpack(counted, name), name),
    share: () => (byteLength ? readLength / byteLength : undefined),
  };
}

/** Opened at once: what cannot be read is told before anything else happens. */
function fileSource(file: string, name: string): Source {
  try {
    const fd = openSync(file, "r");
    const state = fstatSync(fd);
    if (state.isDirectory()) throw new CommandError(`${name} is a folder: name a file.`);
    const bytes = createReadStream(file, { fd, highWaterMark: readBytes });
    return { bytes, byteLength: state.isFile() ? state.size : undefined };
  } catch (cause) {
    throw cause instanceof CommandError ? cause : notReadable(name, cause);
  }
}

function notReadable(name: string, cause: unknown): CommandError {
  return new CommandError(`${describeFileError(name, cause)}.`, undefined, cause);
}

function inputSource({ input }: Terminal): Source {
  if (input === undefined) throw new CommandError("There is no standard input to read.");
  if (input.isTTY !== true) return { bytes: input, byteLength: undefined };
  throw new CommandError("Standard input is a terminal: name a file, or pipe one in.");
}

async function* readable(
  bytes: AsyncIterable<string | Uint8Array>,
  name: string,
  onRead: (length: number) => void,
): AsyncGenerator<Buffer> {
  try {
    for await (const piece of bytes) {
      onRead(piece.length);
      yield Buffer.from(piece);
    }
  } catch (cause) {
    throw notReadable(name, cause);
  }
}

/** Looks at the first bytes: what is packed is unpacked, and what is no text is refused. */
async function* unpack(bytes: AsyncGenerator<Buffer>, name: string): AsyncGenerator<Buffer> {
  let head = Buffer.alloc(0);
  while (head.length < 4) {
    const { value, done } = await bytes.next();
    if (done) break;
    head = Buffer.concat([head, value]);
  }
  const mark = marks.find((one) => begins(head, one.bytes));
  if (mark !== undefined) throw new CommandError(`${name} ${mark.complaint}.`);
  const all = prepend(head, bytes);
  if (begins(head, gzipMark)) yield* gunzip(all, name);
  else yield* all;
}

function begins(bytes: Buffer, mark: readonly number[]): boolean {
  return mark.every((byte, i) => bytes[i] === byte);
}

async function* prepend(head: Buffer, bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield head;
  yield* bytes;
}

async function* gunzip(packed: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer> {
  const source = Readable.from(packed);
  const unpacked = createGunzip();
  source.on("error", (cause) => unpacked.destroy(cause));
  try {
    for await (const piece of source.pipe(unpacked)) yield piece;
  } catch (cause) {
    if (cause instanceof CommandError) throw cause;
    throw new CommandError(
      `${name} is damaged gzip, or ends too early: copy or pack it again.`,
      undefined,
      cause,
    );
  }
}

async function* decode(bytes: AsyncIterable<Buffer>, name: string): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let lines = 1;
  for await (const piece of bytes) {
    const text = orNotUtf8(() => decoder.decode(piece, { stream: true }), {
      name,
      line: () => lines + goodLines(piece),
    });
    lines += countLines(piece);
    if (text !== "") yield text;
  }
  const rest = orNotUtf8(() => decoder.decode(), { name, line: () => lines });
  if (rest !== "") yield rest;
}

function orNotUtf8(
  run: () => string,
  { name, line }: { readonly name: string; readonly line: () => number },
): string {
  try {
    return run();
  } catch (cause) {
    throw new CommandError(
      `${name} is not UTF-8 in line ${line().toLocaleString("en-US")}: export it again in that encoding.`,
      undefined,
      cause,
    );
  }
}

function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(lineFeed); at >= 0; at = bytes.indexOf(lineFeed, at + 1)) count += 1;
  return count;
}

/** Lines that end before the first bytes that are not UTF-8. */
function goodLines(bytes: Buffer): number {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let [count, from] = [0, 0];
  for (let at = bytes.indexOf(lineFeed); at >= 0; at = bytes.indexOf(lineFeed, from)) {
    try {
      decoder.decode(bytes.subarray(from, at));
    } catch {
      // The first line may begin in the piece before, and then says nothing of itself.
      if (count > 0) return count;
    }
    count += 1;
    from = at + 1;
  }
  return count;
}
