import { closeSync, openSync, writeFileSync } from "node:fs";
import { describeFileError } from "@wfh/server/lib/file-error.ts";
import { renderJsonLine, toPrintable } from "@wfh/server/lib/printable.ts";
import type { Config } from "@wfh/server/server/settings/settings.ts";
import { type BadLine, BadLines } from "../rows/bad-lines.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import type { BadRow } from "./import-report.ts";
import { isSameFile, refuseProtectedFile } from "./protected-files.ts";
import { standardInput } from "./terminal.ts";

/** Rows are personal data: for the owner of the file only. */
const ownerOnly = 0o600;

/** Row that an import rejects while it imports the others. */
export type RejectedRow = BadLine & BadRow;

/** Rows that an import rejects: counted, and written to the file of `--rejects`. */
export class RejectedRows<Row extends RejectedRow> extends BadLines<Row> {
  readonly #path: string;
  readonly #file: number | undefined;
  #failure: unknown;

  /**
   * @param path the file, one JSON object for each row; undefined where none is wanted.
   * @param inputs files that are imported.
   * @throws {CommandError} when the file is one that is needed, or cannot be written.
   */
  constructor(path: string | undefined, inputs: readonly string[], config: Config) {
    super();
    this.#path = path ?? "";
    if (path === undefined) return;
    refuseProtectedFile(path, "rejected rows", config);
    if (inputs.some((input) => input !== standardInput && isSameFile(path, input))) {
      throw new CommandError(
        `--rejects ${toPrintable(path)} is the input file. Choose another name.`,
        exitCodes.usage,
      );
    }
    try {
      this.#file = openSync(path, "w", ownerOnly);
    } catch (cause) {
      throw this.#explain(cause);
    }
  }

  /** Where all of them are, for people. */
  get hint(): string {
    return this.#file === undefined ? "--rejects <file> lists all" : `see ${this.#path}`;
  }

  /** Adds a row, which has no password in it. close() throws where it could not be written. */
  override add(row: Row): void {
    super.add(row);
    if (this.#file === undefined || this.#failure !== undefined) return;
    try {
      writeFileSync(this.#file, renderJsonLine(row));
    } catch (cause) {
      this.#failure = cause;
    }
  }

  /** @throws {CommandError} when a row could not be written. */
  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    if (this.#failure !== undefined) throw this.#explain(this.#failure);
  }

  #explain(cause: unknown): CommandError {
    const reason = describeFileError(toPrintable(this.#path), cause);
    return new CommandError(`Cannot write the rejected rows. ${reason}.`, undefined, cause);
  }
}
