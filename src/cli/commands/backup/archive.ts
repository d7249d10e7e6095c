import { createReadStream } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { describeFileError } from "../../../lib/file-error.ts";
import { CommandError } from "../../exit-codes.ts";
import { toPrintable } from "../../io/printable.ts";
import { Progress } from "../../io/progress.ts";
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

/** Called again and again with a step, and how many of its bytes are done. */
export type OnProgress = (step: string, bytes: number, ofBytes: number) => void;

/** Shows on a terminal how far each step has come, and nothing elsewhere. */
export function openStepProgress(terminal: Pick<Terminal, "err">) {
  const isTerminal = process.stderr.isTTY === true;
  let shown = "";
  let progress: Progress | undefined;
  const show: OnProgress = (step, bytes, ofBytes) => {
    if (!isTerminal) return;
    if (step !== shown) {
      progress?.close();
      progress = new Progress(terminal, { verb: `${step},`, noun: "MiB" });
      shown = step;
    }
    progress?.update(Math.floor(bytes / 1_048_576), ofBytes === 0 ? 1 : bytes / ofBytes);
  };
  return { show, close: () => progress?.close() };
}

/** The bytes of a content. */
export function bytesOf(content: Content): AsyncIterable<Uint8Array> | Iterable<Uint8Array> {
  return typeof content === "string" ? createReadStream(content) : [content];
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
  const archive = await open(file, "wx", 0o600);
  try {
    for (const [name, content] of [[backupNames.manifest, manifestBytes] as const, ...contents]) {
      const size = typeof content === "string" ? (await stat(content)).size : content.length;
      await archive.writeFile(renderTarHeader(name, size, mtimeMs));
      await writeAll(archive, bytesOf(content), (bytes) =>
        onProgress(`writing ${name}`, bytes, size),
      );
      await archive.writeFile(tarPadding(size));
    }
    await archive.writeFile(tarEnd);
    await archive.sync();
  } finally {
    await archive.close();
  }
}

/** A backup that is open for reading, and verified. */
export interface OpenArchive {
  readonly manifest: Manifest;
  /** The content of a file that the manifest names. */
  read(name: string): AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
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
      ? `The backup ${file} cannot be used: ${cause.message}`
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
    throw new BackupFileError("it does not begin with the manifest of a backup");
  }
  const expected = new Set<string>(Object.values(backupNames));
  const stranger = entries.find(({ name }) => !expected.delete(name));
  if (stranger !== undefined) {
    throw new BackupFileError(`it has a file that no backup has, or has twice: ${stranger.name}`);
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
    const found = await digestOf(readEntry(archive, entry), (bytes) =>
      onProgress(`verifying ${name}`, bytes, entry.bytes),
    );
    if (found.bytes !== wanted.bytes || found.sha256 !== wanted.sha256) {
      throw new BackupFileError(
        `${name} in it is damaged: its checksum (SHA-256) is not that of the manifest`,
      );
    }
  }
}

function entryOf(entries: readonly TarEntry[], name: string): TarEntry {
  const entry = entries.find((candidate) => candidate.name === name);
  if (entry === undefined) throw new BackupFileError(`${name} is missing in it`);
  return entry;
}

/** All of a content that is known to be small. */
export async function readWhole(
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(content));
}

/** Writes a content to a new file that only its owner can read, and syncs it. */
export async function extract(
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  file: string,
  onBytes: (bytes: number) => void = () => {},
): Promise<void> {
  const handle = await open(file, "wx", 0o600);
  try {
    await writeAll(handle, content, onBytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function writeAll(
  handle: FileHandle,
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  onBytes: (bytes: number) => void,
): Promise<void> {
  let written = 0;
  for await (const chunk of content) {
    await handle.writeFile(chunk);
    written += chunk.length;
    onBytes(written);
  }
}
