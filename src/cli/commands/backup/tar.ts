import { Buffer } from "node:buffer";
import type { FileHandle } from "node:fs/promises";

/*
 * The part of the tar format (POSIX.1-1988, "ustar") that a backup needs: plain files in one folder. Every tar
 * reads it. Sizes over 8 GiB are written in base 256, which GNU tar, bsdtar and Python understand.
 */

/** Heads and contents of files begin at multiples of this many bytes. */
const blockBytes = 512;
/** Largest size that eleven octal digits hold. */
const octalMax = 0o77777777777;
/** Most files of an archive that is read: a backup has four. */
const entriesMax = 16;

/** A file in an archive. */
export interface TarEntry {
  readonly name: string;
  readonly bytes: number;
  /** Where its content begins in the archive. */
  readonly offset: number;
}

/** An archive that is none, or is cut off. The message does not name the file, and is printed escaped: it cites names of the archive. */
export class TarError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "TarError";
  }
}

/**
 * The head of a file, readable and writable by its owner only.
 *
 * @param name at most 100 bytes of ASCII.
 * @param mtimeMs UTC, milliseconds.
 */
export function renderTarHead(name: string, bytes: number, mtimeMs: number): Buffer {
  const head = Buffer.alloc(blockBytes);
  head.write(name, 0, 100, "latin1");
  head.write("0000600\0", 100, "latin1");
  head.write("0000000\0", 108, "latin1");
  head.write("0000000\0", 116, "latin1");
  writeSize(head, bytes);
  head.write(`${octal(Math.floor(mtimeMs / 1_000), 11)}\0`, 136, "latin1");
  head.write("0", 156, "latin1");
  head.write("ustar\0" + "00", 257, "latin1");
  head.write(`${octal(checksumOf(head), 6)}\0 `, 148, "latin1");
  return head;
}

/** What fills the last block of a file up. */
export function tarPadding(bytes: number): Buffer {
  return Buffer.alloc((blockBytes - (bytes % blockBytes)) % blockBytes);
}

/** What ends an archive. */
export const tarEnd: Buffer = Buffer.alloc(2 * blockBytes);

/**
 * Lists the files of an archive.
 *
 * @throws {TarError} when it is not an archive of plain files, or is cut off.
 */
export async function listTar(archive: FileHandle): Promise<readonly TarEntry[]> {
  const { size } = await archive.stat();
  const entries: TarEntry[] = [];
  let at = 0;
  for (;;) {
    const head = Buffer.alloc(blockBytes);
    const { bytesRead } = await archive.read(head, 0, blockBytes, at);
    if (bytesRead < blockBytes) throw new TarError("it is cut off, or not a backup at all");
    if (head.every((byte) => byte === 0)) return entries;
    const entry = readHead(head, at + blockBytes);
    if (entry.offset + entry.bytes > size) throw new TarError(`it is cut off within ${entry.name}`);
    entries.push(entry);
    if (entries.length > entriesMax) throw new TarError("it has more files than a backup");
    at = entry.offset + entry.bytes + tarPadding(entry.bytes).length;
  }
}

function readHead(head: Buffer, offset: number): TarEntry {
  const isTar = head.toString("latin1", 257, 262) === "ustar";
  const checksum = Number.parseInt(head.toString("latin1", 148, 156), 8);
  if (!isTar || checksum !== checksumOf(head)) throw new TarError("it is not a tar archive");
  const name = head.toString("latin1", 0, 100).replace(/\0.*$/s, "");
  if (!/^[0\0]$/.test(String.fromCharCode(head[156] ?? 0))) {
    throw new TarError(`${name} in it is not a plain file`);
  }
  return { name, bytes: readSize(head), offset };
}

function writeSize(head: Buffer, bytes: number): void {
  if (bytes <= octalMax) {
    head.write(`${octal(bytes, 11)}\0`, 124, "latin1");
    return;
  }
  head[124] = 0x80;
  head.writeBigUInt64BE(BigInt(bytes), 128);
}

function readSize(head: Buffer): number {
  if (head[124] === 0x80) return Number(head.readBigUInt64BE(128));
  const bytes = Number.parseInt(head.toString("latin1", 124, 136), 8);
  if (!Number.isSafeInteger(bytes) || bytes < 0) throw new TarError("it has a file without a size");
  return bytes;
}

/** Sum of all bytes of a head, those of the sum itself counted as blanks. */
function checksumOf(head: Buffer): number {
  return head.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 0x20 : byte), 0);
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, "0");
}
