import { renderJsonLine, toPrintable } from "../../io/printable.ts";
import { renderTable } from "../../io/table.ts";
import type { Terminal } from "../../io/terminal.ts";
import type { Reject, Tally } from "./import-tally.ts";
import { describeRehash, type RehashCounts } from "./rehash.ts";

/** Sealed hashes beyond which somebody is told that hashing them takes a while: some seconds. */
const patienceMin = 500;

/** How an import is told. */
interface ReportOptions {
  readonly dryRun?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly rejects?: string;
}

/** What is told of the rows of a file. */
export interface RowsReport {
  readonly tally: Tally;
  /** Columns of the file that nobody reads. */
  readonly unknown: readonly string[];
  readonly tookMs: number;
  readonly isInterrupted: boolean;
  readonly options: ReportOptions;
}

/** What is told at the end. */
export interface EndReport {
  readonly tally: Tally;
  readonly wrapped: RehashCounts;
  /** Whether hashes were to be hashed once more. */
  readonly isWrapping: boolean;
  readonly isInterrupted: boolean;
  readonly options: ReportOptions;
}

/** Tells people what became of the rows, or would. */
export function reportRows(report: RowsReport, console: Terminal): void {
  const { quiet, json } = report.options;
  // Of a file that cannot be read nothing is to be told.
  if (quiet || report.tally.rows === 0) return;
  console.err(renderNotes(report));
  if (!json) console.out(renderTables(report));
}

/** Tells people that the long part is to come. */
export function announceWrapping(
  sealed: number,
  { quiet, json }: ReportOptions,
  console: Terminal,
): void {
  if (quiet || json || sealed < patienceMin) return;
  console.err(
    `${show(sealed)} hashes are sealed with the key of this server, and everybody can log in. Now each is hashed once more with Argon2id, which takes about 15 ms of a core. Ctrl+C stops it, and wfh accounts rehash goes on.\n`,
  );
}

/** Tells what became of the hashes; with `json` the whole import as one object. */
export function reportEnd(report: EndReport, console: Terminal): void {
  const { tally, wrapped, options, isInterrupted } = report;
  if (options.json) {
    const { rows, added, changed, unchanged, rejected } = tally;
    const counts = { rows, added, changed, unchanged, rejected };
    const kinds = Object.fromEntries(inOrder(tally.kinds));
    const reasons = Object.fromEntries(inOrder(tally.reasons));
    const ending = { wrapped: wrapped.rehashed, sealed: wrapped.left };
    const state = { dryRun: options.dryRun === true, interrupted: isInterrupted };
    console.out(renderJsonLine({ ...counts, kinds, reasons, ...ending, ...state }));
  } else if (!options.quiet) {
    console.out(`\n${renderEnd(report)}\n`);
  }
}

function renderEnd({ wrapped, isWrapping, isInterrupted, options }: EndReport): string {
  if (options.dryRun) return "Nothing was written.";
  if (isWrapping) return describeRehash(wrapped, isInterrupted);
  const rest = isInterrupted ? ["Interrupted: the same command goes on."] : [];
  if (wrapped.left > 0) rest.push(tellOfSealed(wrapped.left));
  return rest.length > 0 ? rest.join("\n") : describeRehash(wrapped, false);
}

function tellOfSealed(sealed: number): string {
  const hashes = sealed === 1 ? "1 hash is" : `${show(sealed)} hashes are`;
  return `${hashes} sealed with the key of this server, and everybody can log in. Hash them once more with Argon2id: wfh accounts rehash`;
}

/** What somebody should look into: ignored columns and rows that were not brought in. */
function renderNotes({ tally, unknown, tookMs, options }: RowsReport): string {
  const columns =
    unknown.length === 0
      ? ""
      : `Columns that are not read: ${unknown.map(toPrintable).join(", ")}\n`;
  const more = tally.rejected - tally.shown.length;
  const where =
    options.rejects === undefined ? "see all with --rejects <file>" : toPrintable(options.rejects);
  return [
    `Read ${show(tally.rows)} ${tally.rows === 1 ? "row" : "rows"} in ${(tookMs / 1_000).toFixed(1)} s.\n`,
    columns,
    ...tally.shown.map(renderReject),
    more > 0 ? `… and ${show(more)} more: ${where}\n` : "",
  ].join("");
}

function renderReject({ line, recordId, userName, message }: Reject): string {
  const who = [
    `Line ${line}`,
    ...(recordId === null ? [] : [`record ${recordId}`]),
    ...(userName ? [toPrintable(userName)] : []),
  ];
  return `${who.join(", ")}: ${message}.\n`;
}

function renderTables({ tally, isInterrupted, options }: RowsReport): string {
  const kinds = inOrder(tally.kinds).map(([kind, number]) => [kind, show(number)]);
  const reasons = inOrder(tally.reasons).map(([reason, number]) => [reason, show(number)]);
  return [
    kinds.length === 0 ? "" : `${renderTable([["Kind of hash", "Rows"], ...kinds])}\n`,
    reasons.length === 0 ? "" : `${renderTable([["Rejected for", "Rows"], ...reasons])}\n`,
    renderTable([
      [options.dryRun ? "Would be added" : "Added", "Changed", "Unchanged", "Rejected", "Rows"],
      [tally.added, tally.changed, tally.unchanged, tally.rejected, tally.rows].map(show),
    ]),
    isInterrupted ? "Interrupted: what is counted here stays.\n" : "",
  ].join("");
}

function inOrder<Key extends string>(counts: ReadonlyMap<Key, number>): [Key, number][] {
  return [...counts].sort(([one], [other]) => (one < other ? -1 : 1));
}

function show(number: number): string {
  return number.toLocaleString("en-US");
}
