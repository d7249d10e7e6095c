import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { ImportError } from "./import-error.ts";
import { isZip, type PostalSource } from "./source.ts";
import { readZipTable } from "./zip-table.ts";

/**
 * Text of a postal file, unpacked as its first bytes ask for. `onBytes` hears how many bytes of the
 * file as it lies on disk have been read, in all.
 *
 * @throws {ImportError} when the file is empty, damaged, or packed in another way.
 */
export async function* readText(
  source: PostalSource,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  const { name, path, byteLength = 0 } = source;
  const { start, all, close } = await peek(source.open(), onBytes);
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
    throw new ImportError(name, `is packed with ${packer.name}: unpack it, or use gzip or zip`);
  }
  if (start[0] === 0x1f && start[1] === 0x8b) yield* unpackGzip(all, name);
  else yield* all;
}

const packers: readonly { readonly name: string; readonly magic: readonly number[] }[] = [
  { name: "xz", magic: [0xfd, 0x37, 0x7a, 0x58] },
  { name: "bzip2", magic: [0x42, 0x5a, 0x68] },
  { name: "zstd", magic: [0x28, 0xb5, 0x2f, 0xfd] },
  { name: "7-Zip", magic: [0x37, 0x7a, 0xbc, 0xaf] },
  { name: "RAR", magic: [0x52, 0x61, 0x72, 0x21] },
];

interface Peeked {
  /** At least four bytes, unless there are fewer. */
  readonly start: Uint8Array;
  /** Everything, the start too. */
  readonly all: AsyncIterable<Uint8Array>;
  /** Ends the reading when nobody wants the rest. */
  close(): Promise<unknown>;
}

async function peek(
  bytes: AsyncIterable<Uint8Array>,
  onBytes: (bytes: number) => void,
): Promise<Peeked> {
  const rest = bytes[Symbol.asyncIterator]();
  let start = new Uint8Array();
  let isDone = false;
  while (start.length < 4 && !isDone) {
    const { value, done = false } = await rest.next();
    isDone = done;
    if (!done) start = new Uint8Array(Buffer.concat([start, value]));
  }
  const close = async () => rest.return?.();
  async function* all(): AsyncGenerator<Uint8Array> {
    let count = start.length;
    try {
      onBytes(count);
      yield start;
      while (!isDone) {
        const { value, done = false } = await rest.next();
        if (done) return;
        count += value.length;
        onBytes(count);
        yield value;
      }
    } finally {
      // A file that is left before its end must be closed all the same.
      await close();
    }
  }
  return { start, all: all(), close };
}

async function* unpackGzip(
  bytes: AsyncIterable<Uint8Array>,
  name: string,
): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip({ chunkSize: 256 * 1024 });
  // Whatever goes wrong destroys the last stream, so that reading it throws.
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
