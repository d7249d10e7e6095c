import { accessSync, constants, createReadStream, statSync } from "node:fs";
import { ImportError } from "./import-error.ts";

/** A postal file as it was given: plain text, gzip or zip. */
export interface PostalSource {
  /** For messages and reports: the path as the operator gave it, or `standard input`. */
  readonly name: string;
  /** Where it lies, so that a zip can be read from its end; undefined for a stream. */
  readonly path: string | undefined;
  /** Bytes as they lie on disk; undefined for a stream. */
  readonly byteLength: number | undefined;
  /** Its bytes. To be called once. */
  open(): AsyncIterable<Uint8Array>;
}

/**
 * A file, or what behaves like one, such as a pipe with a path. `name` is what messages call it, for one
 * that stands in for a stream.
 *
 * @throws {ImportError} when it is a folder.
 * @throws {Error} of the system when it is not there or may not be read.
 */
export function openPostalFile(path: string, name = path): PostalSource {
  const status = statSync(path);
  if (status.isDirectory()) throw new ImportError(name, "is a folder: name a file");
  accessSync(path, constants.R_OK);
  // Few large pieces: each one costs a turn of the event loop.
  const open = () => createReadStream(path, { highWaterMark: 256 * 1024 });
  return status.isFile()
    ? { name, path, byteLength: status.size, open }
    : { name, path: undefined, byteLength: undefined, open };
}

/** A stream of plain text or gzip. A zip cannot be read from one: write it to a file first (`isZip`). */
export function openPostalStream(name: string, bytes: AsyncIterable<Uint8Array>): PostalSource {
  return { name, path: undefined, byteLength: undefined, open: () => bytes };
}

/** True when the first bytes (four suffice) are those of a zip, an empty one too. */
export function isZip(start: Uint8Array): boolean {
  const [p, k, a, b] = start;
  return p === 0x50 && k === 0x4b && ((a === 3 && b === 4) || (a === 5 && b === 6));
}
