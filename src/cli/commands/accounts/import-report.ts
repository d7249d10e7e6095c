import { createWriteStream, openSync } from "node:fs";
import { finished } from "node:stream/promises";
import type { ImportConflict } from "../../../domain/log-in/accounts/account-import.ts";
import { describeFileError } from "../../../lib/file-error.ts";
import { CommandError } from "../../exit-codes.ts";
import { renderJsonLine, toPrintable } from "../../io/printable.ts";
import { renderTable } from "../../io/table.ts";
import type { RowProblem, RowReason } from "./row-problem.ts";

/** Rejected rows that are shown; all are counted, and written to the file of `--rejects`. */
const shownMax = 20;
/** User names are for the owner of the file only. */
const ownerOnly = 0o600;

/** A row that was rejected. */
export interface Reject {
  readonly line: number;
  /** null where it cannot be read. */
  readonly recordId: bigint | null;
  readonly userName: string | null;
  readonly reason: RowReason;
  /** For people; holds nothing of a hash or a password. */
  readonly message: string;
}

/** Counts what an import did, or would do. */
export class ImportTally {
  rows = 0;
  readonly outcomes = { added: 0, changed: 0, unchanged: 0 };
  rejected = 0;
  /** Rows that could be read, by the kind of their hash. */
  readonly kinds = new Map<string, number>();
  readonly reasons = new Map<RowReason, number>();
  /** The first of the rejected rows. */
  readonly shown: Reject[] = [];

  addRead(kind: string): void {
    this.kinds.set(kind, (this.kinds.get(kind) ?? 0) + 1);
  }

  addReject(reject: Reject): void {
    this.rejected += 1;
    this.reasons.set(reject.reason, (this.reasons.get(reject.reason) ?? 0) + 1);
    if (this.shown.length < shownMax) this.shown.push(reject);
  }

  toJson() {
    const { rows, outcomes, rejected } = this;
    const kinds = Object.fromEntries(inOrder(this.kinds));
    const reasons = Object.fromEntries(inOrder(this.reasons));
    return { rows, ...outcomes, rejected, kinds, reasons };
  }
}

/** Why an account in the database was left alone, for scripts and people. */
export function explainConflict(conflict: ImportConflict): Pick<RowProblem, "reason" | "message"> {
  switch (conflict.kind) {
    case "name-taken":
      return {
        reason: "name-taken",
        message: `The account ${conflict.recordId} has this name`,
      };
    case "not-imported":
      return {
        reason: "not-imported",
        message: "The account with this record id was not imported; --overwrite replaces it",
      };
    case "password-set-here":
      return {
        reason: "password-set-here",
        message:
          "Its password was set here, and the file has a new hash; --overwrite takes that of the file",
      };
  }
}

/** What became of the rows, for people: ignored columns and rejected rows. */
export function renderNotes(
  { rows, rejected, shown }: ImportTally,
  unknownColumns: readonly string[],
  tookMs: number,
  rejects: string | undefined,
): string {
  const more = rejected - shown.length;
  const where = rejects === undefined ? "see all with --rejects <file>" : toPrintable(rejects);
  return [
    `Read ${format(rows)} ${rows === 1 ? "row" : "rows"} in ${(tookMs / 1_000).toFixed(1)} s.\n`,
    unknownColumns.length === 0
      ? ""
      : `Columns that are not read: ${unknownColumns.map(toPrintable).join(", ")}\n`,
    ...shown.map(renderReject),
    more > 0 ? `… and ${format(more)} more: ${where}\n` : "",
  ].join("");
}

function renderReject({ line, recordId, userName, message }: Reject): string {
  const record = recordId === null ? "" : `, record ${recordId}`;
  const name = userName ? `, ${toPrintable(userName)}` : "";
  return `Line ${line}${record}${name}: ${message}.\n`;
}

/** The counts as tables. */
export function renderCounts(tally: ImportTally, isDryRun: boolean): string {
  const { rows, rejected } = tally;
  const { added, changed, unchanged } = tally.outcomes;
  const table = (title: string, counts: ReadonlyMap<string, number>) => {
    const cells = inOrder(counts).map(([name, count]) => [name, format(count)]);
    return cells.length === 0 ? "" : `${renderTable([[title, "Rows"], ...cells])}\n`;
  };
  return [
    table("Kind of hash", tally.kinds),
    table("Rejected for", tally.reasons),
    renderTable([
      [isDryRun ? "Would be added" : "Added", "Changed", "Unchanged", "Rejected", "Rows"],
      [added, changed, unchanged, rejected, rows].map(format),
    ]),
  ].join("");
}

function inOrder<Key extends string>(counts: ReadonlyMap<Key, number>): [Key, number][] {
  return [...counts].sort(([one], [other]) => (one < other ? -1 : 1));
}

function format(number: number): string {
  return number.toLocaleString("en-US");
}

/** A file of rejected rows. */
export interface RejectsFile {
  add(reject: Reject): void;
  /** Throws {CommandError} when the file could not be written. */
  close(): Promise<void>;
}

/**
 * Opens a file, which is overwritten: one JSON object for each row, without hashes and passwords.
 *
 * @throws {CommandError} when it cannot be written.
 */
export function openRejects(path: string): RejectsFile {
  const fail = (cause: unknown) => {
    const reason = describeFileError(toPrintable(path), cause);
    return new CommandError(`The rejects cannot be written. ${reason}.`, undefined, cause);
  };
  let fd: number;
  try {
    fd = openSync(path, "w", ownerOnly);
  } catch (cause) {
    throw fail(cause);
  }
  const stream = createWriteStream(path, { fd });
  let failure: Error | undefined;
  stream.on("error", (cause) => {
    failure = cause;
  });
  return {
    add: ({ line, recordId, userName, reason, message }) => {
      stream.write(renderJsonLine({ line, recordId, userName, reason, message }));
    },
    close: async () => {
      stream.end();
      await finished(stream).catch(() => {});
      if (failure !== undefined) throw fail(failure);
    },
  };
}
