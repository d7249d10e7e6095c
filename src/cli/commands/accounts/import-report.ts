import type { ImportConflict } from "../../../domain/log-in/accounts/account-import.ts";
import { countOf, formatCount, toPrintable } from "../../../lib/printable.ts";
import { renderSections } from "../../io/report.ts";
import type { RowReason } from "./account-row.ts";

/** Rejected rows that are shown; all are counted, and written to the file of `--rejects`. */
const shownMax = 20;

/** A row that was rejected. */
export interface Reject {
  readonly line: number;
  /** null where it cannot be read. */
  readonly recordId: bigint | null;
  readonly userName: string | null;
  readonly reason: RowReason;
  /** For people; contains no part of a hash or a password. */
  readonly message: string;
}

/** Counts what an import did, or would do. */
export class ImportTally {
  rows = 0;
  readonly outcomes = { added: 0, changed: 0, unchanged: 0 };
  rejected = 0;
  /** Old hashes that were hashed with Argon2id. */
  hashed = 0;
  /** Rows that could be read, by the kind of their hash. */
  readonly kinds = new Map<string, number>();
  readonly reasons = new Map<RowReason, number>();
  readonly shown: Reject[] = [];

  addRead(kind: string): void {
    this.rows += 1;
    this.kinds.set(kind, (this.kinds.get(kind) ?? 0) + 1);
  }

  addReject(reject: Reject): void {
    this.rejected += 1;
    this.reasons.set(reject.reason, (this.reasons.get(reject.reason) ?? 0) + 1);
    if (this.shown.length < shownMax) this.shown.push(reject);
  }

  toJson() {
    const { rows, outcomes, rejected, hashed } = this;
    const kinds = Object.fromEntries(inOrder(this.kinds));
    const reasons = Object.fromEntries(inOrder(this.reasons));
    return { rows, ...outcomes, rejected, hashed, kinds, reasons };
  }
}

/** Why an account in the database was not changed, for people. */
export function explainConflict(conflict: ImportConflict): string {
  switch (conflict.kind) {
    case "name-taken":
      return `Account ${conflict.recordId} already has this user name`;
    case "not-imported":
      return "The account with this record ID was not imported. Use --overwrite to replace it";
    case "password-set-here":
      return "The password was changed on this server. Use --overwrite to replace it with the hash in the file";
  }
}

/** Ignored columns and rejected rows, for people. */
export function renderNotes(
  { rows, rejected, shown }: ImportTally,
  unknownColumns: readonly string[],
  tookMs: number,
  rejects: string | undefined,
): string {
  const more = rejected - shown.length;
  const where =
    rejects === undefined ? "list all of them with --rejects <file>" : toPrintable(rejects);
  return [
    `Read ${countOf(rows, "row")} in ${(tookMs / 1_000).toFixed(1)} s.\n`,
    unknownColumns.length === 0
      ? ""
      : `Ignored columns: ${unknownColumns.map(toPrintable).join(", ")}\n`,
    ...shown.map(renderReject),
    more > 0 ? `… and ${formatCount(more)} more: ${where}\n` : "",
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
  const table = (title: string, counts: ReadonlyMap<string, number>) => ({
    header: [title, "Rows"],
    rows: inOrder(counts).map(([name, count]) => [name, formatCount(count)]),
  });
  return renderSections([
    table("Kind of hash", tally.kinds),
    table("Reason for rejection", tally.reasons),
    {
      header: [isDryRun ? "Would be added" : "Added", "Changed", "Unchanged", "Rejected", "Rows"],
      rows: [[added, changed, unchanged, rejected, rows].map(formatCount)],
    },
  ]);
}

function inOrder<Key extends string>(counts: ReadonlyMap<Key, number>): [Key, number][] {
  return [...counts].sort(([one], [other]) => (one < other ? -1 : 1));
}
