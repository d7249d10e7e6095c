import {
  accessSync,
  constants,
  createReadStream,
  createWriteStream,
  fstatSync,
  statSync,
} from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline, Readable } from "node:stream";
import { pipeline as finishPipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { RowFileError } from "./row-file-error.ts";
import { readZipTable } from "./zip.ts";

type Bytes = AsyncIterable<Uint8Array | string>;

/** Bytes read at once: each chunk costs a turn of the event loop. */
const chunkBytes = 256 * 1024;

/** Longest zip from a stream, in bytes: fifty times all countries, copied to a temporary file. */
const zipStreamBytesMax = 1_073_741_824;

/** A file that is no pipe. */
interface FileFacts {
  /** Its path, or the descriptor under which it is open. */
  readonly source: string | number;
  readonly byteLength: number;
  readonly changed: Date;
}

/** A text file or stream, readable once: plain, gzip or zip; UTF-8, or UTF-16 with a BOM. */
export class InputFile {
  /** For messages and reports: the path as it was given, or `standard input`. */
  readonly name: string;
  /** Size on disk, in bytes; undefined for a stream. */
  readonly byteLength: number | undefined;
  /** Bytes read so far, of the file as it lies on disk. */
  bytesRead = 0;
  /**
   * Time of the last change: that in a zip or gzip, else that of the file. Undefined before
   * reading, for a stream of plain text, and for a gzip stream without a time.
   */
  date: Date | undefined;
  readonly #file: FileFacts | undefined;
  readonly #open: () => Bytes;

  private constructor(name: string, open: () => Bytes, file?: FileFacts) {
    this.name = name;
    this.#open = open;
    this.#file = file;
    this.byteLength = file?.byteLength;
  }

  /**
   * A file, or what behaves like one, such as a named pipe.
   *
   * @param opened descriptor of a file that is already open; it stays so.
   * @throws {RowFileError} when it is a folder.
   * @throws {Error} of the operating system when it does not exist or may not be read.
   */
  static open(path: string, name = path, opened?: number): InputFile {
    const status = opened === undefined ? statSync(path) : fstatSync(opened);
    if (status.isDirectory()) throw new RowFileError(name, "is a folder: name a file");
    if (opened === undefined) accessSync(path, constants.R_OK);
    const descriptor = opened === undefined ? {} : { fd: opened, autoClose: false };
    // A pipe has no positions.
    const position = opened === undefined || !status.isFile() ? {} : { start: 0 };
    const options = { highWaterMark: chunkBytes, ...descriptor, ...position };
    const open = () => createReadStream(path, options);
    if (!status.isFile()) return new InputFile(name, open);
    const { size: byteLength, mtime: changed } = status;
    return new InputFile(name, open, { source: opened ?? path, byteLength, changed });
  }

  static fromStream(name: string, bytes: Bytes): InputFile {
    return new InputFile(name, () => bytes);
  }

  /** Share read so far, 0 to 1; undefined for a stream. */
  get share(): number | undefined {
    return this.byteLength ? this.bytesRead / this.byteLength : undefined;
  }

  /**
   * The text in UTF-8, without a byte order mark.
   *
   * @throws {RowFileError} when the file is empty, damaged, or compressed in another way.
   */
  async *read(): AsyncGenerator<Buffer> {
    const raw = this.#readRaw();
    try {
      const { start, all } = await peek(raw, 10);
      if (start.length === 0) throw new RowFileError(this.name, "is empty");
      yield* toUtf8(this.#unpack(start, all), this.name);
    } finally {
      // Not awaited: it would wait for a pipe that stays open and silent.
      raw.return(undefined).catch(() => {});
    }
  }

  #unpack(start: Buffer, all: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
    const packer = packers.find(({ magic }) => startsWith(start, magic));
    if (packer !== undefined) {
      throw new RowFileError(
        this.name,
        `is compressed with ${packer.name}: unpack it, or use gzip or zip`,
      );
    }
    if (isZip(start)) {
      return this.#file === undefined ? this.#copyZip(all) : this.#unzip(this.#file.source);
    }
    const isGzip = startsWith(start, [0x1f, 0x8b]);
    const packedAtSeconds = isGzip && start.length >= 10 ? start.readUInt32LE(4) : 0;
    if (packedAtSeconds > 0) this.date = new Date(packedAtSeconds * 1_000);
    else this.date = this.#file?.changed;
    return isGzip ? gunzip(all, this.name) : all;
  }

  async *#unzip(source: string | number): AsyncGenerator<Buffer> {
    yield* readZipTable(source, this.name, {
      onDate: (date) => {
        this.date = date;
      },
      onShare: (share) => {
        if (this.byteLength !== undefined) this.bytesRead = Math.round(share * this.byteLength);
      },
    });
  }

  async *#copyZip(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    const folder = await mkdtemp(join(tmpdir(), "wfh-import-"));
    try {
      const path = join(folder, "stream.zip");
      await finishPipeline(limit(bytes, this.name), createWriteStream(path)).catch((cause) => {
        if (!isSystemError(cause)) throw cause;
        const advice = "Pass its path instead, or set TMPDIR to a folder with more space";
        throw new RowFileError(
          this.name,
          `cannot be copied to ${folder} (${cause.message}). ${advice}`,
          {
            cause,
          },
        );
      });
      yield* this.#unzip(path);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  async *#readRaw(): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of this.#open()) {
        this.bytesRead += chunk.length;
        yield Buffer.from(chunk);
      }
    } catch (cause) {
      if (!isSystemError(cause)) throw cause;
      throw new RowFileError(this.name, `cannot be read: ${cause.message}`, { cause });
    }
  }
}

function isSystemError(cause: unknown): cause is NodeJS.ErrnoException {
  return cause instanceof Error && "syscall" in cause;
}

const packers: readonly { readonly name: string; readonly magic: readonly number[] }[] = [
  { name: "xz", magic: [0xfd, 0x37, 0x7a, 0x58] },
  { name: "bzip2", magic: [0x42, 0x5a, 0x68] },
  { name: "zstd", magic: [0x28, 0xb5, 0x2f, 0xfd] },
  { name: "7-Zip", magic: [0x37, 0x7a, 0xbc, 0xaf] },
  { name: "RAR", magic: [0x52, 0x61, 0x72, 0x21] },
];

/** True when the first four bytes are those of a zip, an empty one too. */
function isZip(start: Buffer): boolean {
  return startsWith(start, [0x50, 0x4b, 3, 4]) || startsWith(start, [0x50, 0x4b, 5, 6]);
}

function startsWith(bytes: Buffer, magic: readonly number[]): boolean {
  return magic.every((byte, at) => bytes[at] === byte);
}

/** Reads the first bytes of a stream, fewer only when it is shorter, and gives it back whole. */
async function peek(bytes: AsyncGenerator<Buffer>, count: number) {
  let start = Buffer.alloc(0);
  while (start.length < count) {
    const { value, done } = await bytes.next();
    if (done) break;
    start = Buffer.concat([start, value]);
  }
  async function* all(): AsyncGenerator<Buffer> {
    yield start;
    yield* bytes;
  }
  return { start, all: all() };
}

async function* limit(bytes: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer> {
  let count = 0;
  for await (const chunk of bytes) {
    count += chunk.length;
    if (count > zipStreamBytesMax) {
      const most = `${zipStreamBytesMax.toLocaleString("en-US")} bytes`;
      throw new RowFileError(name, `is a zip of more than ${most}: pass its path instead`);
    }
    yield chunk;
  }
}

async function* gunzip(bytes: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: chunkBytes });
  // An error anywhere destroys the last stream, so that reading it throws.
  pipeline(Readable.from(bytes), gunzip, () => {});
  try {
    yield* gunzip;
  } catch (cause) {
    const { code = "", message = "" } =
      cause instanceof Error ? (cause as NodeJS.ErrnoException) : {};
    if (!code.startsWith("Z_")) throw cause;
    const what = code === "Z_BUF_ERROR" ? "is a truncated gzip" : `is a damaged gzip (${message})`;
    throw new RowFileError(name, `${what}: download it again`, { cause });
  }
}

/** The text in UTF-8 without its byte order mark, which tells UTF-16. */
async function* toUtf8(bytes: AsyncGenerator<Buffer>, name: string): AsyncGenerator<Buffer> {
  const { start, all } = await peek(bytes, 3);
  const mark = start.toString("hex", 0, 3);
  if (mark === "efbbbf") {
    let skip = 3;
    for await (const chunk of all) {
      yield chunk.subarray(skip);
      skip = 0;
    }
    return;
  }
  if (!mark.startsWith("fffe") && !mark.startsWith("feff")) return yield* all;
  const decoder = new TextDecoder(mark.startsWith("fffe") ? "utf-16le" : "utf-16be", {
    fatal: true,
  });
  try {
    for await (const chunk of all) yield Buffer.from(decoder.decode(chunk, { stream: true }));
    yield Buffer.from(decoder.decode());
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new RowFileError(name, "is damaged UTF-16: save it again, as UTF-8", { cause });
  }
}
