import { accessSync, constants, createReadStream, statSync } from "node:fs";
import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { ImportError } from "./import-error.ts";
import { readZipTable } from "./zip.ts";

/** A file to import: plain text, gzip or zip. */
export interface PostalSource {
  /** For messages and reports: the path as the operator gave it, or `standard input`. */
  readonly name: string;
  /** Path of a zip, which is read from its end; undefined for a stream. */
  readonly path: string | undefined;
  /** Size on disk, in bytes; undefined for a stream. */
  readonly byteLength: number | undefined;
  /** Opens it, once. */
  open(): AsyncIterable<Uint8Array>;
}

/**
 * A file, or what behaves like one, such as a named pipe. `name` is what messages call it.
 *
 * @throws {ImportError} when it is a folder.
 * @throws {Error} of the system when it does not exist or may not be read.
 */
export function openPostalFile(path: string, name = path): PostalSource {
  const status = statSync(path);
  if (status.isDirectory()) throw new ImportError(name, "is a folder: name a file");
  accessSync(path, constants.R_OK);
  // Few large chunks: each one costs a turn of the event loop.
  const open = () => createReadStream(path, { highWaterMark: 256 * 1024 });
  return status.isFile()
    ? { name, path, byteLength: status.size, open }
    : { name, path: undefined, byteLength: undefined, open };
}

/** A stream of plain text or gzip. A zip must be in a file: its directory is at its end. */
export function openPostalStream(name: string, bytes: AsyncIterable<Uint8Array>): PostalSource {
  return { name, path: undefined, byteLength: undefined, open: () => bytes };
}

/** Whether the first four bytes are those of a zip, an empty one too. */
export function isZip(start: Uint8Array): boolean {
  const [p, k, a, b] = start;
  return p === 0x50 && k === 0x4b && ((a === 3 && b === 4) || (a === 5 && b === 6));
}

/** A stream whose first bytes have been looked at. */
export interface Peeked {
  /** As many bytes as were asked for or more; fewer only when the stream is shorter. */
  readonly start: Buffer;
  /** The whole stream, including its start. */
  readonly all: AsyncGenerator<Uint8Array>;
  /** Closes a stream that is not read to its end. */
  readonly close: () => Promise<unknown>;
}

/** Reads the first bytes of a stream, and gives it back whole. */
export async function peek(
  bytes: AsyncIterable<Uint8Array | string>,
  count: number,
): Promise<Peeked> {
  const chunks = bytes[Symbol.asyncIterator]();
  const read = async () => {
    const { value, done } = await chunks.next();
    return done ? undefined : typeof value === "string" ? Buffer.from(value) : value;
  };
  let start = Buffer.alloc(0);
  let chunk: Uint8Array | undefined = start;
  while (start.length < count && chunk !== undefined) {
    chunk = await read();
    if (chunk !== undefined) start = Buffer.concat([start, chunk]);
  }
  const close = async () => chunks.return?.();
  async function* all(): AsyncGenerator<Uint8Array> {
    try {
      yield start;
      while (chunk !== undefined) {
        chunk = await read();
        if (chunk !== undefined) yield chunk;
      }
    } finally {
      await close();
    }
  }
  return { start, all: all(), close };
}

/**
 * Text of a file, decompressed as its first bytes tell. `onBytes` gets the number of bytes read from
 * disk so far.
 *
 * @throws {ImportError} when the file is empty, damaged, or compressed in another way.
 */
export async function* readText(
  source: PostalSource,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  const { name, path, byteLength = 0 } = source;
  const { start, all, close } = await peek(source.open(), 4);
  if (start.length === 0) throw new ImportError(name, "is empty");
  if (isZip(start)) {
    await close();
    if (path === undefined) {
      throw new ImportError(name, "is a zip, which cannot be read from a stream: name the file");
    }
    yield* readZipTable(path, name, (share) => onBytes(Math.round(share * byteLength)));
    return;
  }
  const packer = packers.find(({ magic }) => magic.every((byte, at) => start[at] === byte));
  if (packer !== undefined) {
    await close();
    throw new ImportError(name, `is packed with ${packer.name}: unpack it, or use gzip or zip`);
  }
  const counted = countBytes(all, onBytes);
  if (start[0] === 0x1f && start[1] === 0x8b) yield* unpackGzip(counted, name);
  else yield* counted;
}

const packers: readonly { readonly name: string; readonly magic: readonly number[] }[] = [
  { name: "xz", magic: [0xfd, 0x37, 0x7a, 0x58] },
  { name: "bzip2", magic: [0x42, 0x5a, 0x68] },
  { name: "zstd", magic: [0x28, 0xb5, 0x2f, 0xfd] },
  { name: "7-Zip", magic: [0x37, 0x7a, 0xbc, 0xaf] },
  { name: "RAR", magic: [0x52, 0x61, 0x72, 0x21] },
];

async function* countBytes(
  chunks: AsyncIterable<Uint8Array>,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  let count = 0;
  for await (const chunk of chunks) {
    count += chunk.length;
    onBytes(count);
    yield chunk;
  }
}

async function* unpackGzip(
  bytes: AsyncIterable<Uint8Array>,
  name: string,
): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip({ chunkSize: 256 * 1024 });
  // An error anywhere destroys the last stream, so that reading it throws.
  pipeline(Readable.from(bytes), gunzip, () => {});
  try {
    yield* gunzip;
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause && String(cause.code).startsWith("Z_"))) {
      throw cause;
    }
    const isCut = cause.code === "Z_BUF_ERROR";
    const what = isCut ? "is a gzip that was cut off" : `is a damaged gzip (${cause.message})`;
    throw new ImportError(name, `${what}: fetch it again`, { cause });
  }
}
