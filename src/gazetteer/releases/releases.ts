import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Artifact } from "../format/artifact.ts";
import { builtInGazetteer } from "../format/built-in.ts";
import { checkArtifact } from "../format/check-artifact.ts";
import { openArtifact } from "../format/reader.ts";
import { takeImportLock } from "./import-lock.ts";
import { ReleaseError } from "./release-error.ts";
import { type ReleaseFiles, releaseFiles } from "./release-files.ts";
import { copyDurably, linkOrCopy, removeFile, replaceFile, writeDurably } from "./replace-file.ts";

/**
 * The artifact that is served and the one before it, as files beside each other (decision 0033). Whatever happens on
 * the way, a whole artifact is in place.
 */
export interface Releases {
  /** The file that is served, with links followed; it need not be there yet. */
  readonly file: string;
  /** Where the one before it lies; it need not be there. */
  readonly previousFile: string;
  /** Whether the file is there; else the built-in artifact is served, and built on. */
  isThere(): boolean;
  /** Whether there is a release to roll back to. */
  hasPrevious(): boolean;
  /**
   * The artifact that is served.
   *
   * @throws {ReleaseError} when it cannot be read, naming the way out.
   */
  openCurrent(): Artifact;
  /**
   * Runs the only import at a time, and removes what killed ones have left.
   *
   * @throws {ReleaseError} when another one is running, or the folder cannot be written to.
   */
  change<Result>(run: (change: Change) => Promise<Result>): Promise<Result>;
}

/** What an import may do while it is the only one. */
export interface Change {
  /**
   * Writes an artifact to the disk, reads it back, and puts it into the place of the current one, which becomes the
   * previous one.
   *
   * @throws {ReleaseError} when that cannot be done; the current one is still there then.
   */
  publish(bytes: Uint8Array, options?: PublishOptions): Promise<void>;
  /**
   * Swaps the current and the previous artifact; once more swaps them back.
   *
   * @throws {ReleaseError} when there is no previous one, or it cannot be read.
   */
  rollBack(): Promise<void>;
}

/** How somebody follows an installation, or ends it. */
export interface PublishOptions {
  /** Called before each step. */
  readonly onStep?: (step: PublishStep) => void;
  /** Ends it with the signal's reason, up to the last moment before the swap. */
  readonly signal?: AbortSignal;
}

/** Steps of an installation; `done` comes when the new artifact is in place. */
export type PublishStep = "write" | "verify" | "swap" | "done";

/** Finds the releases of an artifact by the path of its file. */
export function openReleases(path: string): Releases {
  const files = releaseFiles(path);
  const isThere = () => existsSync(files.current);
  return {
    file: files.current,
    previousFile: files.previous,
    isThere,
    hasPrevious: () => existsSync(files.previous),
    openCurrent: () => open(isThere() ? files.current : fileURLToPath(builtInGazetteer)),
    change: async (run) => {
      const unlock = takeImportLock(files.lock);
      try {
        await removeLeftovers(files);
        return await run({
          publish: (bytes, options = {}) => publish(files, bytes, options),
          rollBack: () => rollBack(files),
        });
      } catch (cause) {
        throw explain(cause, files);
      } finally {
        unlock();
      }
    },
  };
}

function open(file: string): Artifact {
  try {
    return openArtifact(file);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const advice = "Go back with wfh import rollback, or build on the built-in data with --fresh.";
    throw new ReleaseError(`${reason}\n${advice}`, cause);
  }
}

async function publish(
  files: ReleaseFiles,
  bytes: Uint8Array,
  { onStep = () => {}, signal }: PublishOptions,
): Promise<void> {
  const random = randomBytes(6).toString("hex");
  const [written, linked] = [files.written(random), files.linked(random)];
  try {
    onStep("write");
    await writeDurably(written, bytes, files.current);
    onStep("verify");
    verify(written);
    signal?.throwIfAborted();
    onStep("swap");
    await keepCurrent(files, linked);
    await replaceFile(written, files.current, files.folder);
    onStep("done");
  } finally {
    await removeFile(written);
    await removeFile(linked);
  }
}

/** Makes the current release the previous one, unless nobody could go back to it. */
async function keepCurrent(files: ReleaseFiles, linked: string): Promise<void> {
  if (!existsSync(files.current)) await copyDurably(fileURLToPath(builtInGazetteer), linked);
  else if (isIntact(files.current)) await linkOrCopy(files.current, linked);
  else return;
  await replaceFile(linked, files.previous, files.folder);
}

function isIntact(file: string): boolean {
  try {
    openArtifact(file);
    return true;
  } catch {
    return false;
  }
}

async function rollBack(files: ReleaseFiles): Promise<void> {
  if (!existsSync(files.previous)) {
    const advice = "There is one after an import; until then the built-in data is served.";
    throw new ReleaseError(`There is no previous release: ${files.previous}.\n${advice}`);
  }
  verify(files.previous);
  const random = randomBytes(6).toString("hex");
  const [swapped, linked] = [files.swapped(random), files.linked(random)];
  await linkOrCopy(files.previous, linked);
  if (existsSync(files.current)) await linkOrCopy(files.current, swapped);
  else await copyDurably(fileURLToPath(builtInGazetteer), swapped);
  await replaceFile(linked, files.current, files.folder);
  await replaceFile(swapped, files.previous, files.folder);
}

/** Reads a file back before anything is answered from it. */
function verify(file: string): void {
  try {
    checkArtifact(openArtifact(file));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const served = "It was not put in place; what was served before still is.";
    throw new ReleaseError(`${file} cannot be used: ${reason}.\n${served}`, cause);
  }
}

/**
 * A swap that was killed in its middle is finished: what it has set aside is the previous release. In its middle both
 * names are of one file; before that, the previous release is still where it was.
 */
async function removeLeftovers(files: ReleaseFiles): Promise<void> {
  const isHalfSwapped = isSameFile(files.current, files.previous);
  for (const name of readdirSync(files.folder)) {
    const leftover = files.leftoverOf(name);
    const file = join(files.folder, name);
    if (leftover === "swapping" && isHalfSwapped) {
      await replaceFile(file, files.previous, files.folder);
    }
    // After a swap too: a second name of the same file is not moved onto the first.
    if (leftover !== undefined) await removeFile(file);
  }
}

/** Whether two names are of one file, or of equal ones where the file system knows no second names. */
function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((file) =>
    statSync(file, { bigint: true, throwIfNoEntry: false }),
  );
  if (a === undefined || b === undefined) return false;
  if (a.dev === b.dev && a.ino === b.ino) return true;
  return a.size === b.size && readFileSync(one).equals(readFileSync(other));
}

/** What the system says when a disk is full or somebody may not write there, and what to do about it. */
const advices: Readonly<Record<string, string>> = {
  ENOSPC: "The disk is full: make room, twice the size of the file.",
  EDQUOT: "Your quota is used up: make room, twice the size of the file.",
  EFBIG: "Files may not be that large here: see ulimit -f.",
  EACCES: "You may not write there: import as the owner of the folder.",
  EPERM: "You may not write there: import as the owner of the folder.",
  EROFS: "The file system is read-only: set WFH_GAZETTEER to a file that can be written.",
};

function explain(cause: unknown, { current }: ReleaseFiles): unknown {
  if (!(cause instanceof Error) || cause instanceof ReleaseError) return cause;
  const { code = "" } = cause as NodeJS.ErrnoException;
  const advice = advices[code];
  if (advice === undefined) return cause;
  const served = "What was served before still is.";
  return new ReleaseError(
    `${current} cannot be replaced: ${cause.message}.\n${advice} ${served}`,
    cause,
  );
}
