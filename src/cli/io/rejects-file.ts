import { closeSync, openSync, writeFileSync } from "node:fs";
import { describeFileError } from "../../lib/file-error.ts";
import { renderJsonLine, toPrintable } from "../../lib/printable.ts";
import type { Config } from "../../server/settings/settings.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { isSameFile, refuseProtectedFile } from "./protected-files.ts";
import { standardInput } from "./terminal.ts";

/** Rows are personal data: for the owner of the file only. */
const ownerOnly = 0o600;

/**
 * Opens the file for rejected rows; null where none is wanted.
 *
 * @throws {CommandError} when it is one that is needed, or cannot be written.
 */
export function openRejects(
  path: string | undefined,
  inputs: readonly string[],
  config: Config,
): RejectsFile | null {
  if (path === undefined) return null;
  refuseProtectedFile(path, "rejected rows", config);
  if (inputs.every((input) => input === standardInput || !isSameFile(path, input))) {
    return new RejectsFile(path);
  }
  throw new CommandError(
    `--rejects ${toPrintable(path)} is the input file. Choose another name.`,
    exitCodes.usage,
  );
}

/** A file of rejected rows: one JSON object for each, which the caller keeps free of passwords. */
export class RejectsFile {
  readonly #path: string;
  readonly #file: number;
  #failure: unknown;

  /**
   * Opens a file, which is overwritten.
   *
   * @throws {CommandError} when it cannot be written.
   */
  constructor(path: string) {
    this.#path = path;
    try {
      this.#file = openSync(path, "w", ownerOnly);
    } catch (cause) {
      throw this.#explain(cause);
    }
  }

  /** Writes a row. A failure ends the command only when the file is closed: the import goes on. */
  add(reject: object): void {
    if (this.#failure !== undefined) return;
    try {
      writeFileSync(this.#file, renderJsonLine(reject));
    } catch (cause) {
      this.#failure = cause;
    }
  }

  /** @throws {CommandError} when a row could not be written. */
  close(): void {
    closeSync(this.#file);
    if (this.#failure !== undefined) throw this.#explain(this.#failure);
  }

  #explain(cause: unknown): CommandError {
    const reason = describeFileError(toPrintable(this.#path), cause);
    return new CommandError(`Cannot write the rejected rows. ${reason}.`, undefined, cause);
  }
}
