import { randomBytes } from "node:crypto";
import { existsSync, rmSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { linkOrCopy, replaceFile } from "@wfh/server/gazetteer/releases/replace-file.ts";
import { toPrintable, toShellWord } from "@wfh/server/lib/printable.ts";
import { syncFolder } from "@wfh/server/lib/sync-folder.ts";
import { CommandError, exitCodes } from "../../io/exit-codes.ts";
import { onInterrupt } from "../../io/terminal.ts";

/** Temporary files and folders: each gets its own name only when it is complete. */
export interface Drafts {
  /** A new name beside a file. What has that name is removed at the end, also after Ctrl+C. */
  beside(file: string): string;
  /** Ignores Ctrl+C from now on: files are being put in their places, which takes a moment. */
  commit(): void;
}

/**
 * Checks that a file can be written: its folder exists, and it is not a folder itself.
 *
 * @throws {CommandError}
 */
export function requirePlace(file: string): void {
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) {
    throw new CommandError(`${toPrintable(file)} is a folder: name a file. Nothing was changed.`);
  }
  requireFolder(dirname(file));
}

/**
 * Checks that a folder exists.
 *
 * @throws {CommandError}
 */
export function requireFolder(folder: string): void {
  if (existsSync(folder)) return;
  throw new CommandError(
    `Folder not found: ${toPrintable(folder)}.\nCreate it: mkdir -p -m 700 ${toShellWord(folder)}`,
  );
}

/** Runs a function that writes drafts, and removes those that are left. */
export async function withDrafts<Result>(
  run: (drafts: Drafts) => Promise<Result>,
): Promise<Result> {
  const names: string[] = [];
  const removeAll = () => {
    for (const name of names) {
      for (const end of ["", "-journal", "-wal", "-shm"])
        rmSync(name + end, { recursive: true, force: true });
    }
  };
  let isCommitted = false;
  const interrupted = () => {
    if (isCommitted) return;
    removeAll();
    process.exit(exitCodes.interrupted);
  };
  const stopListening = onInterrupt(interrupted);
  try {
    return await run({
      beside: (file) => {
        const name = `${file}.${process.pid}-${randomBytes(6).toString("hex")}.tmp`;
        names.push(name);
        return name;
      },
      commit: () => {
        isCommitted = true;
      },
    });
  } finally {
    stopListening();
    removeAll();
  }
}

/**
 * Gives a draft its own name, at once and down to the disk.
 *
 * @throws {CommandError} when there is a file of that name already and it is not to be replaced.
 */
export async function publishDraft(draft: string, file: string, replaces: boolean): Promise<void> {
  if (replaces) return replaceFile(draft, file, dirname(file));
  try {
    // Unlike a rename, a link never replaces a file that was created in the meantime.
    await linkOrCopy(draft, file);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause;
    const message = `${toPrintable(file)} was created in the meantime.\nNothing was changed.`;
    throw new CommandError(message, undefined, cause);
  }
  await rm(draft);
  syncFolder(dirname(file));
}
