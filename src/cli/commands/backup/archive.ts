import { createReadStream } from "node:fs";
import { type FileHandle, open, stat, writeFile } from "node:fs/promises";
import { ReleaseError } from "../../../gazetteer/releases/releases.ts";
import { describeFileError, isSystemError } from "../../../lib/file-error.ts";
import { StoreError } from "../../../store/store-error.ts";
import { CommandError } from "../../exit-codes.ts";
import { toPrintable } from "../../io/printable.ts";
import { openStepProgress } from "../../io/progress.ts";
import type { Terminal } from "../../io/terminal.ts";
import { backupNames, digestOf, type Manifest, parseManifest, renderManifest } from "./manifest.ts";
import {
  BackupFileError,
  listTar,
  renderTarHeader,
  type TarEntry,
  tarEnd,
  tarPadding,
} from "./tar.ts";

/** Longest manifest that is read, in bytes: a hundred times the usual. */
const manifestBytesMax = 262_144;

/** What goes into a backup: bytes in memory, or the path of a file. */
export type Content = Uint8Array | string;

type Bytes = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Called after each chunk with the step, and how many of its bytes are done. */
export type OnProgress = (step: string, bytes: number, ofBytes: number) => void;

/** Shows on a terminal how far each step has come, and nothing elsewhere. */
export function openByteProgress(terminal: Pick<Terminal, "err">) {
  const quiet = process.stderr.isTTY !== true;
  const { show, close } = openStepProgress(terminal, { noun: "MiB", quiet });
  const onProgress: OnProgress = (step, bytes, of) => show(`${step},`, bytes, of, 1_048_576);
  return { show: onProgress, close };
}

/** The bytes of a content. */
export function bytesOf(content: Content): Bytes {
  return typeof content === "string" ? createReadStream(content) : [content];
}

/** The chunks of a content; reports how many bytes have passed after each. */
export async function* counted(
  chunks: Bytes,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  let passed = 0;
  for await (const chunk of chunks) {
    yield chunk;
    passed += chunk.length;
    onBytes(passed);
  }
}

/** Writes a content to a new file that only its owner can read, and syncs it. */
export function writeNewFile(file: string, chunks: Bytes): Promise<void> {
  return writeFile(file, chunks, { flag: "wx", mode: 0o600, flush: true });
}

/**
 * Writes a backup to a new file that only its owner can read, and syncs it.
 *
 * @throws {Error} of the system, when it cannot be written.
 */
export async function writeArchive(
  file: string,
  manifest: Manifest,
  contents: ReadonlyMap<string, Content>,
  onProgress: OnProgress,
): Promise<void> {
  const mtimeMs = Date.parse(manifest.createdAt);
  const manifestBytes = Buffer.from(renderManifest(manifest));
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (const [name, content] of [[backupNames.manifest, manifestBytes] as const, ...contents]) {
      const size = typeof content === "string" ? (await stat(content)).size : content.length;
      yield renderTarHeader(name, size, mtimeMs);
      yield* counted(bytesOf(content), (bytes) => onProgress(`writing ${name}`, bytes, size));
      yield tarPadding(size);
    }
    yield tarEnd;
  }
  await writeNewFile(file, chunks());
}

/** A backup that is open for reading, and verified. */
export interface OpenArchive {
  readonly manifest: Manifest;
  read(name: string): Bytes;
  close(): Promise<void>;
}

/**
 * Opens a backup and compares every file in it with the checksum in the manifest.
 *
 * @throws {CommandError} when it cannot be read, is damaged, or not a backup.
 */
export async function openArchive(file: string, onProgress: OnProgress): Promise<OpenArchive> {
  try {
    const archive = await open(file, "r");
    try {
      const entries = await listTar(archive);
      const manifest = await readManifest(archive, entries);
      await verify(archive, entries, manifest, onProgress);
      return {
        manifest,
        read: (name) => readEntry(archive, entryOf(entries, name)),
        close: () => archive.close(),
      };
    } catch (cause) {
      await archive.close();
      throw cause;
    }
  } catch (cause) {
    const isOurs = cause instanceof BackupFileError;
    const text = isOurs
      ? `Cannot use the backup ${file}: ${cause.message}`
      : describeFileError(file, cause);
    throw new CommandError(`${toPrintable(text)}.\nNothing was changed.`, undefined, cause);
  }
}

function readEntry(archive: FileHandle, { offset, bytes }: TarEntry) {
  if (bytes === 0) return [];
  return archive.createReadStream({ autoClose: false, start: offset, end: offset + bytes - 1 });
}

async function readManifest(archive: FileHandle, entries: readonly TarEntry[]): Promise<Manifest> {
  const [first] = entries;
  if (first?.name !== backupNames.manifest || first.bytes > manifestBytesMax) {
    throw new BackupFileError("it does not start with a manifest");
  }
  const expected = new Set<string>(Object.values(backupNames));
  const unexpected = entries.find(({ name }) => !expected.delete(name));
  if (unexpected !== undefined) {
    throw new BackupFileError(`it contains an unexpected or repeated file: ${unexpected.name}`);
  }
  return parseManifest((await readWhole(readEntry(archive, first))).toString("utf8"));
}

async function verify(
  archive: FileHandle,
  entries: readonly TarEntry[],
  manifest: Manifest,
  onProgress: OnProgress,
): Promise<void> {
  for (const part of ["database", "gazetteer", "keys"] as const) {
    const wanted = manifest[part];
    if (wanted === null) continue;
    const name = backupNames[part];
    const entry = entryOf(entries, name);
    const onBytes = (bytes: number) => onProgress(`verifying ${name}`, bytes, entry.bytes);
    const found = await digestOf(counted(readEntry(archive, entry), onBytes));
    if (found.bytes !== wanted.bytes || found.sha256 !== wanted.sha256) {
      throw new BackupFileError(
        `${name} in it is damaged: its SHA-256 checksum differs from the manifest`,
      );
    }
  }
}

function entryOf(entries: readonly TarEntry[], name: string): TarEntry {
  const entry = entries.find((candidate) => candidate.name === name);
  if (entry === undefined) throw new BackupFileError(`${name} is missing`);
  return entry;
}

/** All of a content that is known to be small. */
export async function readWhole(content: Bytes): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(content));
}

/** An error of disks, files or databases as one with advice. Any other error is a bug and stays as it is. */
export function explainFailure(cause: unknown, file: string, what: string): unknown {
  const { code, path = file, message } = cause as NodeJS.ErrnoException;
  const isExpected =
    cause instanceof StoreError ||
    cause instanceof ReleaseError ||
    code !== undefined ||
    /^Gazetteer /.test(message);
  if (cause instanceof CommandError || !isExpected) return cause;
  const advice =
    code === "ENOSPC" || /disk is full/.test(message)
      ? "Free twice the size of the database on this disk, or use another one."
      : "Find the cause: wfh doctor";
  const reason = isSystemError(cause) ? describeFileError(path, cause) : message;
  return new CommandError(`${toPrintable(`${what}: ${reason}.`)}\n${advice}`, undefined, cause);
}
