import { randomBytes } from "node:crypto";
import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import {
  describeDenial,
  describeFileError,
  isSystemError,
  messageOf,
} from "../../lib/file-error.ts";
import { lockFile } from "../../lib/file-lock.ts";
import {
  type Artifact,
  builtInGazetteer,
  checkArtifact,
  openArtifact,
} from "../format/artifact.ts";
import { copyDurably, linkOrCopy, replaceFile, writeDurably } from "./replace-file.ts";

/** Where imports publish releases: a file, or a database for all of its nodes (decision 0065). */
export interface ReleaseHome {
  /** For people: the path of the file, or the address of the database. */
  readonly name: string;
  /**
   * The artifact that is served.
   *
   * @throws {ReleaseError} when it cannot be read.
   */
  openCurrent(): CurrentRelease | Promise<CurrentRelease>;
  /**
   * The artifact that a rollback publishes; undefined without one.
   *
   * @throws {Error} when it cannot be read.
   */
  openPrevious(): Artifact | undefined | Promise<Artifact | undefined>;
  /** Runs an import, or a rollback. */
  change<Result>(run: (change: ReleaseChange) => Promise<Result>): Promise<Result>;
}

/** The artifact that is served, and where it is from. */
export interface CurrentRelease {
  readonly artifact: Artifact;
  readonly source: "built-in" | "file" | "database";
  /** UTC, milliseconds; null for the built-in artifact. */
  readonly sinceMs: number | null;
}

/** A release cannot be published; says why and how to fix it. The current one is still served. */
export class ReleaseError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "ReleaseError";
  }
}

/** Another process replaces the file. */
export class LockedError extends ReleaseError {}

/** Changes that an import may make while it has the lock. */
export interface ReleaseChange {
  /**
   * Writes an artifact to the disk, verifies it, and makes it the current release; the current one
   * becomes the previous one.
   *
   * @throws {ReleaseError} when that fails; the current release is still in place then.
   */
  publish(bytes: Uint8Array, options?: PublishOptions): Promise<void>;
  /**
   * Swaps the current and the previous release; a second call swaps them back.
   *
   * @throws {ReleaseError} when there is no previous release, or it cannot be read.
   */
  rollBack(): Promise<void>;
}

/** Options of a publication. */
export interface PublishOptions {
  /** Called before each step. */
  readonly onStep?: (step: PublishStep) => void;
  /** Ends it with the reason of the signal, until just before the swap. */
  readonly signal?: AbortSignal;
}

/** Steps of a publication; `done` comes when the new release is in place. */
export type PublishStep = "write" | "verify" | "swap" | "done";

/**
 * The current artifact and the previous one: two files in one folder, so that a rename replaces one
 * at once (decision 0033). A kill at any moment leaves a whole artifact in place.
 */
export class Releases implements ReleaseHome {
  /** The file served, which may not exist yet. Of a link, the target is replaced, not the link. */
  readonly file: string;
  /** The previous release; it may not exist. */
  readonly previousFile: string;
  readonly #folder: string;

  get name(): string {
    return this.file;
  }

  constructor(path: string) {
    this.file = followLinks(resolve(path));
    this.previousFile = `${this.file}.previous`;
    this.#folder = dirname(this.file);
  }

  /** True when the file exists; otherwise the built-in artifact is served, and built on. */
  isThere(): boolean {
    return existsSync(this.file);
  }

  /** True when there is a release to roll back to. */
  hasPrevious(): boolean {
    return existsSync(this.previousFile);
  }

  /** The file, else the built-in artifact. */
  openCurrent(): CurrentRelease {
    try {
      if (!this.isThere()) {
        return { artifact: openArtifact(builtInGazetteer), source: "built-in", sinceMs: null };
      }
      // A rename sets it, unlike the time of the content, which a rollback brings back.
      const sinceMs = statSync(this.file).ctimeMs;
      return { artifact: openArtifact(this.file), source: "file", sinceMs };
    } catch (cause) {
      throw withAdvice(cause, this.file);
    }
  }

  openPrevious(): Artifact | undefined {
    return this.hasPrevious() ? openArtifact(this.previousFile) : undefined;
  }

  /**
   * Runs an import under the lock, and removes the temporary files of killed imports.
   *
   * @throws {ReleaseError} when another one is running, or the folder cannot be written to.
   */
  change<Result>(run: (change: ReleaseChange) => Promise<Result>): Promise<Result> {
    return this.#locked(() =>
      run({
        publish: (bytes, options = {}) => this.#publish(bytes, options),
        rollBack: () => this.#rollBack(),
      }),
    );
  }

  /**
   * Replaces the file by an artifact that is published elsewhere; keeps no previous one.
   *
   * @param check rejects when the file that it is given cannot be served.
   * @throws {LockedError} when another process replaces it.
   * @throws {ReleaseError} when the folder cannot be written to.
   */
  install(fetch: () => Promise<Uint8Array>, check: (file: string) => Promise<void>): Promise<void> {
    return this.#locked(async () => {
      const written = this.#temporary("new");
      try {
        await writeDurably(written, await fetch(), this.file);
        await check(written).catch((cause) => {
          throw new ReleaseError(messageOf(cause), cause);
        });
        await replaceFile(written, this.file, this.#folder);
      } finally {
        await rm(written, { force: true });
      }
    });
  }

  async #locked<Result>(run: () => Promise<Result>): Promise<Result> {
    const unlock = takeLock(`${this.file}.lock`);
    try {
      await this.#removeLeftovers();
      return await run();
    } catch (cause) {
      throw this.#explain(cause);
    } finally {
      unlock();
    }
  }

  async #publish(bytes: Uint8Array, { onStep = () => {}, signal }: PublishOptions): Promise<void> {
    const written = this.#temporary("new");
    const linked = this.#temporary("old");
    try {
      onStep("write");
      await writeDurably(written, bytes, this.file);
      onStep("verify");
      verify(written);
      signal?.throwIfAborted();
      onStep("swap");
      // A damaged file does not become the release to roll back to.
      if (!this.isThere() || isIntact(this.file)) {
        await this.#keepCurrent(linked);
        await replaceFile(linked, this.previousFile, this.#folder);
      }
      await replaceFile(written, this.file, this.#folder);
      onStep("done");
    } finally {
      await rm(written, { force: true });
      await rm(linked, { force: true });
    }
  }

  async #rollBack(): Promise<void> {
    if (!this.hasPrevious()) {
      const advice = "The first import makes one; until then the built-in data is served.";
      throw new ReleaseError(`There is no previous release: ${this.previousFile}.\n${advice}`);
    }
    verify(this.previousFile);
    const swapped = this.#temporary("back");
    const linked = this.#temporary("old");
    await linkOrCopy(this.previousFile, linked);
    await this.#keepCurrent(swapped);
    await replaceFile(linked, this.file, this.#folder);
    await replaceFile(swapped, this.previousFile, this.#folder);
  }

  #keepCurrent(name: string): Promise<void> {
    return this.isThere()
      ? linkOrCopy(this.file, name)
      : copyDurably(fileURLToPath(builtInGazetteer), name);
  }

  /**
   * Name of a file during a change: `new` is being written, `old` is a release under a second name,
   * `back` is the current release while it is swapped with the previous one.
   */
  #temporary(kind: "new" | "old" | "back"): string {
    return `${this.file}.${kind}-${randomBytes(6).toString("hex")}`;
  }

  /** Removes temporary files; finishes a rollback that was killed between its two renames. */
  async #removeLeftovers(): Promise<void> {
    const isHalfSwapped = isSameFile(this.file, this.previousFile);
    const start = `${basename(this.file)}.`;
    for (const name of readdirSync(this.#folder)) {
      const kind = name.startsWith(start) ? name.slice(start.length).split("-", 1)[0] : "";
      if (kind !== "new" && kind !== "old" && kind !== "back") continue;
      const leftover = join(this.#folder, name);
      if (kind === "back" && isHalfSwapped) {
        await replaceFile(leftover, this.previousFile, this.#folder);
      }
      // After a swap too: rename() does nothing when both names are of the same file.
      await rm(leftover, { force: true });
    }
  }

  #explain(cause: unknown): unknown {
    const { code = "" } = cause instanceof Error ? (cause as NodeJS.ErrnoException) : {};
    const advice = writeAdvices[code];
    if (advice === undefined || cause instanceof ReleaseError) return cause;
    const what = `${this.file} cannot be replaced: ${describeFileError(this.file, cause)}`;
    return new ReleaseError(`${what}.\n${advice} The current release is still served.`, cause);
  }
}

/** Why the current release cannot be read, and the fix; `file` is empty for one in a database. */
export function withAdvice(cause: unknown, file = ""): ReleaseError {
  const reason = isSystemError(cause) ? describeFileError(file, cause) : messageOf(cause);
  const check = file === "" ? "" : "Check WFH_GAZETTEER. ";
  const advice = `${check}Go back with wfh places rollback, or import with --fresh, which builds on the built-in data.`;
  return new ReleaseError(`${reason}\n${advice}`, cause);
}

/** Follows links; the file, or the target of the last link, may not exist. */
function followLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
    return isLink ? resolve(dirname(path), readlinkSync(path)) : path;
  }
}

/**
 * Takes the lock of imports; returns a function that releases it.
 *
 * @throws {ReleaseError} when another process (or this one) has it, or the file cannot be made.
 */
function takeLock(file: string): () => void {
  let unlock: ReturnType<typeof lockFile>;
  try {
    unlock = lockFile(file);
  } catch (cause) {
    const reason = messageOf(cause);
    const isDenied = denials.includes(reason) && existsSync(dirname(file));
    const advice = isDenied
      ? describeDenial(file)
      : "Check that the folder is there and on a local disk";
    throw new ReleaseError(`${file} cannot be locked: ${reason}.\n${advice}.`, cause);
  }
  if (unlock !== undefined) return unlock;
  const message = `Another import is running: it has locked ${file}.`;
  throw new LockedError(`${message}\nWait until it ends, or stop it.`);
}

/** Messages of SQLite about a file that this user may not make, or not write. */
const denials = ["unable to open database file", "attempt to write a readonly database"];

/** Advice on errors of the operating system, by their codes. */
const writeAdvices: Readonly<Record<string, string>> = {
  ENOSPC: "The disk is full: make room, twice the size of the file.",
  EDQUOT: "Your quota is used up: make room, twice the size of the file.",
  EFBIG: "The limit on file sizes is too low: see ulimit -f.",
  EACCES: "Nothing was published.",
  EPERM: "Nothing was published.",
  EROFS: "The file system is read-only: set WFH_GAZETTEER to a file that can be written.",
};

/** Reads a file back before it is served. */
function verify(file: string): void {
  try {
    checkArtifact(openArtifact(file));
  } catch (cause) {
    const served = "It was not published; the current release is still served.";
    throw new ReleaseError(`${file} cannot be used: ${messageOf(cause)}.\n${served}`, cause);
  }
}

function isIntact(file: string): boolean {
  try {
    openArtifact(file);
    return true;
  } catch {
    return false;
  }
}

/** True when two names are of one file, or of equal files where the file system has no links. */
function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((file) =>
    statSync(file, { bigint: true, throwIfNoEntry: false }),
  );
  if (a === undefined || b === undefined) return false;
  if (a.dev === b.dev && a.ino === b.ino) return true;
  return a.size === b.size && readFileSync(one).equals(readFileSync(other));
}
