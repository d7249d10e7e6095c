import { createReadStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { describeFileError } from "../../../lib/file-error.ts";
import { CommandError } from "../../exit-codes.ts";
import { toPrintable } from "../../io/printable.ts";
import {
  type BackedUpFile,
  backupNames,
  digestOf,
  type Manifest,
  ManifestError,
  parseManifest,
  renderManifest,
} from "./manifest.ts";
import type { BackupProgress } from "./progress.ts";
import { listTar, renderTarHead, type TarEntry, TarError, tarEnd, tarPadding } from "./tar.ts";

/** Longest manifest that is read, in bytes: a hundred times what one has. */
const manifestBytesMax = 262_144;

/** What goes into a backup: bytes in memory, or the path of a file. */
export type Content = Uint8Array | string;

/** Contents of a backup by their names in it. */
export type Contents = ReadonlyMap<string, Content>;

/** The SHA-256 and the length of what goes into a backup. */
export function digestContent(content: Content): Promise<BackedUpFile> {
  return digestOf(typeof content === "string" ? createReadStream(content) : toStream(content));
}

async function* toStream(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/**
 * Writes a backup into a new file that only its owner can read, down to the disk.
 *
 * @throws {Error} of the system, when it cannot be written.
 */
export async function writeArchive(
  file: string,
  parts: {
    readonly manifest: Manifest;
    readonly contents: Contents;
    readonly progress: BackupProgress;
  },
): Promise<void> {
  const { manifest, contents, progress } = parts;
  const mtimeMs = Date.parse(manifest.createdAt);
  const archive = await open(file, "wx", 0o600);
  try {
    const all = new Map<string, Content>([
      [backupNames.manifest, Buffer.from(renderManifest(manifest))],
      ...contents,
    ]);
    for (const [name, content] of all) {
      await append(archive, { name, content, mtimeMs, progress });
    }
    await archive.writeFile(tarEnd);
    await archive.sync();
  } finally {
    await archive.close();
  }
}

async function append(
  archive: FileHandle,
  parts: {
    readonly name: string;
    readonly content: Content;
    readonly mtimeMs: number;
    readonly progress: BackupProgress;
  },
): Promise<void> {
  const { name, content, mtimeMs, progress } = parts;
  const source = typeof content === "string" ? await open(content, "r") : undefined;
  try {
    const bytes = source === undefined ? content.length : (await source.stat()).size;
    await archive.writeFile(renderTarHead(name, bytes, mtimeMs));
    const stream =
      source?.createReadStream({ autoClose: false }) ?? toStream(content as Uint8Array);
    let written = 0;
    for await (const chunk of stream) {
      await archive.writeFile(chunk);
      written += chunk.length;
      progress.show(`writing ${name}`, written, bytes);
    }
    await archive.writeFile(tarPadding(bytes));
  } finally {
    await source?.close();
  }
}

/** A backup that is open for reading, all of it verified. */
export interface OpenArchive {
  readonly manifest: Manifest;
  /** The content of a file that the manifest names. */
  read(name: string): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

/**
 * Opens a backup and compares every file in it with the checksum of the manifest.
 *
 * @throws {CommandError} when it cannot be read, is damaged, or not a backup.
 */
export async function openArchive(file: string, progress: BackupProgress): Promise<OpenArchive> {
  try {
    const archive = await open(file, "r");
    try {
      const entries = await listTar(archive);
      const read = (entry: TarEntry) => readEntry(archive, entry);
      const manifest = await readManifest(entries, read);
      await verify(manifest, entries, read, progress);
      return {
        manifest,
        read: (name) => read(entryOf(entries, name)),
        close: () => archive.close(),
      };
    } catch (cause) {
      await archive.close();
      throw cause;
    }
  } catch (cause) {
    const isOurs = cause instanceof TarError || cause instanceof ManifestError;
    const text = isOurs
      ? `The backup ${file} cannot be used: ${cause.message}`
      : describeFileError(file, cause);
    // The messages cite what stands in the file.
    throw new CommandError(`${toPrintable(text)}.\nNothing was changed.`, undefined, cause);
  }
}

function readEntry(archive: FileHandle, { offset, bytes }: TarEntry): AsyncIterable<Uint8Array> {
  if (bytes === 0) return toStream(new Uint8Array());
  return archive.createReadStream({ autoClose: false, start: offset, end: offset + bytes - 1 });
}

async function readManifest(
  entries: readonly TarEntry[],
  read: (entry: TarEntry) => AsyncIterable<Uint8Array>,
): Promise<Manifest> {
  const [first] = entries;
  if (first?.name !== backupNames.manifest || first.bytes > manifestBytesMax) {
    throw new ManifestError("it does not begin with the manifest of a backup");
  }
  const known = new Set<string>(Object.values(backupNames));
  const stranger = entries.find(({ name }) => !known.delete(name));
  if (stranger !== undefined) {
    throw new ManifestError(`it has a file that no backup has, or has twice: ${stranger.name}`);
  }
  return parseManifest((await readWhole(read(first))).toString("utf8"));
}

async function verify(
  manifest: Manifest,
  entries: readonly TarEntry[],
  read: (entry: TarEntry) => AsyncIterable<Uint8Array>,
  progress: BackupProgress,
): Promise<void> {
  for (const part of ["database", "gazetteer", "keys"] as const) {
    const wanted = manifest[part];
    if (wanted === null) continue;
    const name = backupNames[part];
    const entry = entryOf(entries, name);
    const found = await digestOf(read(entry), (bytes) =>
      progress.show(`verifying ${name}`, bytes, entry.bytes),
    );
    if (found.bytes !== wanted.bytes || found.sha256 !== wanted.sha256) {
      throw new ManifestError(
        `${name} in it is damaged: its checksum (SHA-256) is not that of the manifest`,
      );
    }
  }
}

/** Everything of a content that is known to be small. */
export async function readWhole(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(content));
}

/**
 * Writes a content into a new file that only its owner can read, down to the disk.
 *
 * @param written told how many bytes are written, again and again.
 */
export async function extract(
  content: AsyncIterable<Uint8Array>,
  file: string,
  written: (bytes: number) => void,
): Promise<void> {
  const handle = await open(file, "wx", 0o600);
  try {
    let bytes = 0;
    for await (const chunk of content) {
      await handle.writeFile(chunk);
      bytes += chunk.length;
      written(bytes);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function entryOf(entries: readonly TarEntry[], name: string): TarEntry {
  const entry = entries.find((candidate) => candidate.name === name);
  if (entry === undefined) throw new ManifestError(`${name} is missing in it`);
  return entry;
}
