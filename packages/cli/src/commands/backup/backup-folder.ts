import { createReadStream, statSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ReleaseError } from "@wfh/server/gazetteer/releases/releases.ts";
import { describeFileError, isSystemError } from "@wfh/server/lib/file-error.ts";
import { toPrintable, toShellWord } from "@wfh/server/lib/printable.ts";
import { StoreError } from "@wfh/server/store/store-error.ts";
import { CommandError } from "../../io/exit-codes.ts";
import { openStepProgress } from "../../io/progress.ts";
import type { Terminal } from "../../io/terminal.ts";
import { BackupError, backupNames, digestOf, type Manifest, parseManifest } from "./manifest.ts";

/** Longest manifest that is read, in bytes: a hundred times the usual. */
const manifestBytesMax = 262_144;

/** Called after each chunk with the step, and how many of its bytes are done. */
export type OnProgress = (step: string, bytes: number, ofBytes: number) => void;

/** Shows on a terminal how far each step has come, and nothing elsewhere. */
export function openByteProgress(terminal: Pick<Terminal, "err">) {
  const quiet = process.stderr.isTTY !== true;
  const { show, close } = openStepProgress(terminal, { noun: "MiB", quiet });
  const onProgress: OnProgress = (step, bytes, of) => show(`${step},`, bytes, of, 1_048_576);
  return { show: onProgress, close };
}

/** Reads a file; reports how many bytes have passed after each chunk. */
export async function* readCounted(
  file: string,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  let passed = 0;
  for await (const chunk of createReadStream(file)) {
    yield chunk;
    passed += chunk.length;
    onBytes(passed);
  }
}

/** Writes a new file that only its owner can read, and syncs it. */
export function writeNewFile(
  file: string,
  content: Uint8Array | AsyncIterable<Uint8Array>,
): Promise<void> {
  return writeFile(file, content, { flag: "wx", mode: 0o600, flush: true });
}

/** A backup whose files have the checksums of its manifest. */
export interface Backup {
  readonly manifest: Manifest;
  /** Path of one of its files. */
  pathOf(part: keyof typeof backupNames): string;
}

/**
 * Opens a backup and compares its files with the checksums in the manifest.
 *
 * @throws {CommandError} when it cannot be read, is damaged, or not a backup.
 */
export async function openBackup(folder: string, onProgress: OnProgress): Promise<Backup> {
  try {
    if (!statSync(folder).isDirectory()) {
      throw new BackupError(
        `it is a file, and a backup is a folder. Unpack one that version 0.1 made: mkdir -m 700 <folder> && tar -xf ${toShellWord(folder)} -C <folder>`,
      );
    }
    const pathOf = (part: keyof typeof backupNames) => join(folder, backupNames[part]);
    const manifest = await readManifest(pathOf("manifest"));
    for (const part of ["database", "gazetteer", "keys"] as const) {
      const wanted = manifest[part];
      if (wanted === null) continue;
      const name = backupNames[part];
      const onBytes = (bytes: number) => onProgress(`verifying ${name}`, bytes, wanted.bytes);
      const found = await digestOf(readCounted(pathOf(part), onBytes));
      if (found.bytes !== wanted.bytes || found.sha256 !== wanted.sha256) {
        throw new BackupError(
          `${name} in it is damaged: its SHA-256 checksum differs from the manifest`,
        );
      }
    }
    return { manifest, pathOf };
  } catch (cause) {
    const { path = folder } = cause as NodeJS.ErrnoException;
    const text =
      cause instanceof BackupError
        ? `Cannot use the backup ${folder}: ${cause.message}`
        : describeFileError(path, cause);
    throw new CommandError(`${toPrintable(text)}.\nNothing was changed.`, undefined, cause);
  }
}

async function readManifest(file: string): Promise<Manifest> {
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  if (size === undefined) throw new BackupError(`it has no ${backupNames.manifest}`);
  if (size > manifestBytesMax) throw new BackupError("its manifest is too long");
  return parseManifest(await readFile(file, "utf8"));
}

/** Adds advice to an error of disks, files or databases. Any other error is a bug and stays. */
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
      ? "Free as much space as the database takes on this disk, or use another one."
      : "Find the cause: wfh doctor";
  const reason = isSystemError(cause) ? describeFileError(path, cause) : message;
  return new CommandError(`${toPrintable(`${what}: ${reason}.`)}\n${advice}`, undefined, cause);
}
