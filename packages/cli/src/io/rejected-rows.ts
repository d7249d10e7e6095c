import { closeSync, openSync, writeFileSync } from "node:fs";
import { renderJsonLine } from "@wfh/server/lib/printable.ts";
import type { Config } from "@wfh/server/server/settings/settings.ts";
import { type BadLine, BadLines } from "../rows/bad-lines.ts";
import { nameFile } from "./exit-codes.ts";
import type { BadRow } from "./import-report.ts";
import { refuseProtectedFile } from "./protected-files.ts";

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
   * @throws {CommandError} when the file is one that is needed.
   * @throws {Error} of the operating system when it cannot be opened.
   */
  constructor(path: string | undefined, inputs: readonly string[], config: Config) {
    super();
    this.#path = path ?? "";
    if (path === undefined) return;
    refuseProtectedFile(path, "rejected rows", config, inputs);
    this.#file = openSync(path, "w", ownerOnly);
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

  /** @throws {Error} of the operating system when a row could not be written. */
  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    if (this.#failure !== undefined) throw nameFile(this.#path, this.#failure);
  }
}
