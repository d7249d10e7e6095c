import { hash } from "node:crypto";
import type { StoredPageRequest } from "../../../domain/page-requests/page-request.ts";
import { compileSecretNames } from "../../../domain/page-requests/secret-names.ts";
import { RowFileError } from "../../../rows/row-file-error.ts";
import { keyOfText, SeenKeys } from "../../../rows/seen-keys.ts";
import { Table } from "../../../rows/table.ts";
import { withDatabase } from "../../io/admin-context.ts";
import type { Command, DeclareCommand, SharedOptions } from "../../io/command.ts";
import { exitCodes } from "../../io/exit-codes.ts";
import { readRows } from "../../io/import-file.ts";
import { Progress } from "../../io/progress.ts";
import { openRejects, type RejectsFile } from "../../io/rejects-file.ts";
import { firstLines, printReport } from "../../io/report.ts";
import { readSettings } from "../../io/settings.ts";
import { interruptible, openInput, type Terminal } from "../../io/terminal.ts";
import {
  describeLocalTime,
  type PageRequestColumn,
  pageRequestTable,
  type RowOptions,
  readImportedRow,
  skippedRows,
} from "./imported-row.ts";

/** Page requests of one transaction: short enough not to hold up those that arrive. */
const batchRows = 1_000;
/** Most rows of a file: identical ones are counted in memory, with up to 32 bytes for each row. */
const rowsMax = 50_000_000;
const shownMax = 20;

interface ImportOptions extends SharedOptions {
  readonly pages?: RegExp;
  readonly form?: bigint;
  readonly rejects?: string;
}

const help = `
Examples:
  wfh page-requests import old.csv --dry-run
                                            count rows of the old table, and list bad ones
  wfh page-requests import u_ex*.log        import calls of LogPageRequestAsync from IIS logs
  wfh page-requests import u_ex*.log --pages '/contact*.aspx' --form 12
                                            import views of pages as page requests of form 12

Columns of tables have the names of the contract (form_id) or of our exports (formId). Only the time
(arrivedAt, created, date) is required, as SQL Server writes it or in ISO 8601; without a zone it is
in UTC. NULL means empty.

IIS logs (W3C extended) have no bodies, so form, contact and screen stay empty. The page is the
referrer of the call. Only JSON calls have the operation in their path. SOAP calls are skipped and
counted, unless the log has the field cs(SOAPAction). If most calls are SOAP, use --pages.

The same rows are stored once, however often you import them, also in another file. Rows that are
identical within one file all count. If interrupted, or out of disk space, run the same command
again.

Exit codes: 0 all rows imported, 1 some rows rejected, 2 invalid options, 3 cannot read a file or
use the database, 130 interrupted.
`;

/** `wfh page-requests import` (decision 0083). */
export const declareImport: DeclareCommand = (group) =>
  group
    .command("import")
    .description("Import page requests of an old server: its table, or logs of IIS")
    .argument(
      "<files...>",
      "CSV with a header, JSON lines or IIS logs; plain, gzip or zip; - reads standard input",
    )
    .value(
      "--pages <pattern>",
      "from IIS logs, import views of these pages, not calls; * is any text",
      toPattern,
    )
    .id("--form <id>", "form ID of rows that have none")
    .option("--rejects <file>", "file to write rejected rows to: file, line and reason")
    .shared("dryRun", "json", "quiet", "config")
    .addHelpText("after", help)
    .run(importPageRequests);

function toPattern(_: string, text: string): RegExp {
  const escaped = text.replace(/[\\^$.+?()[\]{}|]/g, "\\$&");
  return new RegExp(`^${escaped.replaceAll("*", ".*")}$`, "i");
}

async function importPageRequests(
  files: readonly string[],
  options: ImportOptions,
  { terminal }: Command,
): Promise<number> {
  const { dryRun = false, quiet } = options;
  const config = readSettings(options.config, terminal);
  const { pageRequestRetentionDays: retentionDays } = config;
  const tables = files.map((file) => new Table(openInput(file, terminal), pageRequestTable));
  const rejects = openRejects(options.rejects, files, config);
  const open = async () => {
    const { openPageRequestImport } = await import("../../../store/store.ts");
    const { databaseUrl: url, diskReserveMb: diskReserve } = config;
    return openPageRequestImport({ url, diskReserve, retentionDays, now: Date.now }, dryRun);
  };
  return withDatabase(open, ({ add }) =>
    interruptible(terminal, "Interrupted.", async (signal) => {
      const progress = new Progress(terminal, { verb: "Reading", noun: "rows", quiet });
      const counts = newCounts(dryRun);
      const rowOptions = {
        pages: options.pages,
        form: options.form,
        nowMs: Date.now(),
        retentionDays,
        isSecret: compileSecretNames(config.secretParameters),
      };
      const addBatch = dryRun ? countOnce(add) : add;
      const deps = { add: addBatch, rowOptions, counts, signal, rejects, progress };
      try {
        for (const table of tables) await importFile(table, deps);
      } finally {
        progress.close();
        rejects?.close();
        counts.ignoredColumns = [...new Set(tables.flatMap((table) => table.ignoredColumns))];
        counts.interrupted = signal.aborted;
        report(counts, options, terminal);
      }
      if (signal.aborted) return exitCodes.interrupted;
      return counts.rejected > 0 ? exitCodes.no : exitCodes.done;
    }),
  );
}

/** What became of the rows, as reports and scripts get it. */
function newCounts(dryRun: boolean) {
  return {
    rows: 0,
    added: 0,
    present: 0,
    ...skippedRows,
    rejected: 0,
    problems: [] as { file: string; line: number; message: string }[],
    ignoredColumns: [] as readonly string[],
    dryRun,
    interrupted: false,
  };
}

type Counts = ReturnType<typeof newCounts>;

interface ImportDeps {
  /** Resolves to how many of a batch are new. */
  readonly add: (batch: readonly StoredPageRequest[]) => Promise<number>;
  readonly rowOptions: RowOptions;
  readonly counts: Counts;
  readonly signal: AbortSignal;
  readonly rejects: RejectsFile | null;
  readonly progress: Progress;
}

/** What adds batches in a dry run: nothing is stored, so rows of an earlier file are not in the database. */
function countOnce(add: ImportDeps["add"]): ImportDeps["add"] {
  const seen = new SeenKeys();
  return (batch) =>
    add(batch.filter((row) => seen.count(keyOfText(`${row.formId} ${row.eventKey}`)) === 0));
}

/** Imports a file in batches; whole ones stay when it ends early. */
async function importFile(table: Table<PageRequestColumn>, deps: ImportDeps): Promise<void> {
  const { add, rowOptions, counts, signal, rejects, progress } = deps;
  const seen = new SeenKeys();
  let batch: StoredPageRequest[] = [];
  const write = async () => {
    const added = await add(batch);
    counts.added += added;
    counts.present += batch.length - added;
    batch = [];
  };
  const rows = readRows(table, {
    read: (cells, line) => {
      const problem = describeLocalTime(cells);
      if (problem !== null) throw new RowFileError(table.file.name, problem, { line });
      return readImportedRow(cells, rowOptions);
    },
    reject: (line, { message }) => {
      const problem = { file: table.file.name, line, message };
      counts.rows += 1;
      if (++counts.rejected <= shownMax) counts.problems.push(problem);
      rejects?.add(problem);
    },
    rowsMax,
    afterTooMany: "Rows imported so far are kept.",
    signal,
  });
  for await (const row of rows) {
    if (typeof row === "string") counts[row] += 1;
    else batch.push(withKey(row, seen));
    if (++counts.rows % batchRows === 0) progress.update(counts.rows, table.file.share);
    if (batch.length === batchRows) await write();
  }
  if (batch.length > 0) await write();
}

function report(counts: Counts, options: ImportOptions, terminal: Terminal): void {
  printReport(terminal, options, counts, (data) => {
    const { rows, added, present, rejected, problems, ignoredColumns, dryRun, interrupted } = data;
    const skipped = [
      ["other requests", data.otherRequests],
      ["SOAP calls, whose operation is not in the log", data.soapCalls],
      ["older than WFH_PAGE_REQUEST_RETENTION", data.tooOld],
    ] as const;
    const lines = problems.map(({ file, line, message }) => `${file}, line ${line}: ${message}.`);
    return [
      {
        header: ["Rows", dryRun ? "Would be added" : "Added", "Already there", "Rejected"],
        rows: [[rows, added, present, rejected]],
      },
      { header: ["Skipped", "Rows"], rows: skipped.filter(([, count]) => count > 0) },
      ignoredColumns.length > 0 ? `Ignored columns: ${ignoredColumns.join(", ")}` : "",
      { title: "Rejected", lines: firstLines(lines, shownMax, "see --rejects <file>", rejected) },
      dryRun ? "Nothing was written: this was a dry run." : "",
      interrupted ? "Interrupted. Run the same command again to continue." : "",
    ];
  });
}

/**
 * Gives a page request a key that follows from what is stored of it, so that it tells nothing more: a hash of the whole
 * address could be found by trial. The second of two identical rows of a file has another one.
 */
function withKey(row: StoredPageRequest, seen: SeenKeys): StoredPageRequest {
  if (row.eventKey !== null) return row;
  // Without fields that are null: a later version may have more of them.
  const values = Object.entries(row).flatMap(([name, value]) =>
    value === null ? [] : `${name}=${typeof value === "object" ? value.text : value}`,
  );
  const digest = hash("sha256", values.join("\0"), "buffer");
  const before = seen.count(digest.readBigInt64BE() || 1n);
  // By time, so that rows that follow each other go to the same pages of an index.
  const key = `import-${row.arrivedAtMs.toString(36)}-${digest.toString("base64url", 0, 12)}`;
  return { ...row, eventKey: before === 0 ? key : `${key}-${before}` };
}
