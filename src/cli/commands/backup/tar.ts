import { Buffer } from "node:buffer";
import type { FileHandle } from "node:fs/promises";

/*
 * The part of the tar format (POSIX.1-1988, "ustar") that a backup needs: plain files in one folder (decision 0055).
 * Sizes over 8 GiB are written in base 256, which GNU tar, bsdtar and Python understand.
 */

/** Headers and contents of files begin at multiples of this many bytes. */
const blockBytes = 512;
/** Largest size that eleven octal digits hold. */
const octalMax = 0o77777777777;
/** Most files of an archive that is read: a backup has four. */
const entriesMax = 16;

/** A file in an archive. */
export interface TarEntry {
  readonly name: string;
  readonly bytes: number;
  /** Position of its content in the archive, in bytes. */
  readonly offset: number;
}

/** The file is damaged, no backup, or one of a newer program. Print the message escaped: it quotes the file. */
export class BackupFileError extends Error {}

/**
 * The header of a file that only its owner can read and write.
 *
 * @param name at most 100 bytes of ASCII.
 * @param mtimeMs UTC, milliseconds.
 */
export function renderTarHeader(name: string, bytes: number, mtimeMs: number): Buffer {
  const header = Buffer.alloc(blockBytes);
  const put = (text: string, at: number) => header.write(text, at, "latin1");
  put(name.slice(0, 100), 0);
  put("0000600\0", 100);
  put("0000000\0", 108);
  put("0000000\0", 116);
  if (bytes <= octalMax) put(`${octal(bytes, 11)}\0`, 124);
  else header.writeBigUInt64BE(BigInt(bytes), 128);
  if (bytes > octalMax) header[124] = 0x80;
  put(`${octal(Math.floor(mtimeMs / 1_000), 11)}\0`, 136);
  put("0", 156);
  put("ustar\0" + "00", 257);
  put(`${octal(checksumOf(header), 6)}\0 `, 148);
  return header;
}

/** Zeros that fill the last block of a file. */
export function tarPadding(bytes: number): Buffer {
  return Buffer.alloc((blockBytes - (bytes % blockBytes)) % blockBytes);
}

/** Marks the end of an archive. */
export const tarEnd: Buffer = Buffer.alloc(2 * blockBytes);

/**
 * Lists the files of an archive.
 *
 * @throws {BackupFileError} when it is not an archive of plain files, or is cut off.
 */
export async function listTar(archive: FileHandle): Promise<readonly TarEntry[]> {
  const { size } = await archive.stat();
  const entries: TarEntry[] = [];
  let at = 0;
  for (;;) {
    const header = Buffer.alloc(blockBytes);
    const { bytesRead } = await archive.read(header, 0, blockBytes, at);
    if (bytesRead < blockBytes) throw new BackupFileError("it is truncated, or not a backup");
    if (header.every((byte) => byte === 0)) return entries;
    const entry = readHeader(header, at + blockBytes);
    if (entry.offset + entry.bytes > size)
      throw new BackupFileError(`it is truncated within ${entry.name}`);
    entries.push(entry);
    if (entries.length > entriesMax)
      throw new BackupFileError("it contains more files than a backup has");
    at = entry.offset + entry.bytes + tarPadding(entry.bytes).length;
  }
}

function readHeader(header: Buffer, offset: number): TarEntry {
  const text = (from: number, to: number) => header.toString("latin1", from, to);
  if (text(257, 262) !== "ustar" || Number.parseInt(text(148, 156), 8) !== checksumOf(header)) {
    throw new BackupFileError("it is not a tar archive");
  }
  const name = text(0, 100).replace(/\0.*$/s, "");
  if (!/^[0\0]$/.test(text(156, 157)))
    throw new BackupFileError(`${name} in it is not a regular file`);
  const bytes =
    header[124] === 0x80 ? Number(header.readBigUInt64BE(128)) : Number.parseInt(text(124, 136), 8);
  if (!Number.isSafeInteger(bytes) || bytes < 0)
    throw new BackupFileError("it contains a file with an invalid size");
  return { name, bytes, offset };
}

/** Sum of all bytes of a header, those of the sum itself counted as blanks. */
function checksumOf(header: Buffer): number {
  return header.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 0x20 : byte), 0);
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, "0");
}
