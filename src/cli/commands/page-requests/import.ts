import { hash } from "node:crypto";
import type { StoredPageRequest } from "../../../domain/page-requests/page-request.ts";
import { toStored } from "../../../domain/page-requests/record.ts";
import {
  compileSecretNames,
  type IsSecretName,
} from "../../../domain/page-requests/secret-names.ts";
import { SeenKeys } from "../../../rows/seen-keys.ts";
import { Table } from "../../../rows/table.ts";
import type { Config } from "../../../server/settings/settings.ts";
import type { OpenDatabase } from "../../../store/api.ts";
import { isMissing, openChecked } from "../../../store/open-database.ts";
import { withDatabase } from "../../admin-context.ts";
import type { Command, DeclareCommand, SharedOptions } from "../../command.ts";
import { CommandError, exitCodes } from "../../exit-codes.ts";
import { readRows } from "../../io/import-file.ts";
import { Progress } from "../../io/progress.ts";
import { openRejects, type RejectsFile } from "../../io/rejects-file.ts";
import { firstLines, printReport } from "../../io/report.ts";
import { interruptible, openInput, type Terminal } from "../../io/terminal.ts";
import { readSettings } from "../../settings.ts";
import { columnsOf, type PageRequestColumn, readImportedRow } from "./imported-row.ts";

/** Page requests of one transaction: short enough not to hold up those that arrive. */
const batchRows = 1_000;
/** Most rows of a file: identical ones are counted in memory, with up to 32 bytes for each row. */
const rowsMax = 50_000_000;
const shownMax = 20;
const dayMs = 86_400_000;

interface ImportOptions extends SharedOptions {
  readonly columns?: ReturnType<typeof columnsOf>;
  readonly pages?: RegExp;
  readonly form?: bigint;
  readonly rejects?: string;
}

const help = `
Examples:
  wfh page-requests import old.csv --dry-run
                                            count rows of the old table, and list bad ones
  wfh page-requests import old.csv --columns arrivedAt=LoggedOn,formId=Form
                                            name columns that are not recognized
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
identical within one file all count. If interrupted, run the same command again.

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
    .value("--columns <list>", "columns with other names: field=column,…", (_, text) =>
      columnsOf(text),
    )
    .value("--pages <pattern>", "from IIS logs, import views of these pages instead", toPattern)
    .id("--form <id>", "form of all rows that name none")
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
  const { dryRun = false, quiet, columns = columnsOf() } = options;
  const config = readSettings(options.config, terminal);
  const { databaseUrl } = config;
  const tables = files.map((file) => new Table(openInput(file, terminal), columns));
  const rejects = openRejects(options.rejects, files, config);
  const open = () =>
    openChecked(databaseUrl, dryRun ? "read" : "import", (schema) =>
      dryRun ? schema.require() : schema.migrate(Date.now()),
    );
  const run = (database: OpenDatabase | null) =>
    interruptible(terminal, "Interrupted.", async (signal) => {
      const progress = new Progress(terminal, { verb: "Reading", noun: "rows", quiet });
      const importer = new Importer(database, config, options);
      try {
        for (const table of tables) await importer.run(table, { signal, rejects, progress });
      } finally {
        progress.close();
        rejects?.close();
        report({ ...importer.counts, dryRun, interrupted: signal.aborted }, options, terminal);
      }
      if (signal.aborted) return exitCodes.interrupted;
      return importer.counts.rejected > 0 ? exitCodes.no : exitCodes.done;
    });
  // A database that is not there has none of them.
  return dryRun && isMissing(databaseUrl) ? run(null) : withDatabase(open, run);
}

/** Imports page requests in batches, and counts what becomes of each row. */
class Importer {
  readonly counts = {
    ...{ rows: 0, added: 0, present: 0, otherRequests: 0, soapCalls: 0, tooOld: 0, rejected: 0 },
    problems: [] as { file: string; line: number; message: string }[],
  };
  readonly #database: OpenDatabase | null;
  readonly #config: Config;
  readonly #options: ImportOptions;
  readonly #isSecret: IsSecretName;
  #batch: StoredPageRequest[] = [];

  /** @param database null in a dry run without one. */
  constructor(database: OpenDatabase | null, config: Config, options: ImportOptions) {
    this.#database = database;
    this.#config = config;
    this.#options = options;
    this.#isSecret = compileSecretNames(config.secretParameters);
  }

  /** Imports a file; whole batches stay when it ends early. */
  async run(table: Table<PageRequestColumn>, { signal, rejects, progress }: RunDeps) {
    const { counts } = this;
    const seen = new SeenKeys();
    const rows = readRows(table, {
      read: (cells) => this.#add(readImportedRow(cells, this.#options.pages), seen),
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
    for await (const _ of rows) {
      if (this.#batch.length === batchRows) await this.#write();
      if (++counts.rows % batchRows === 0) progress.update(counts.rows, table.file.share);
    }
    await this.#write();
  }

  #add(row: ReturnType<typeof readImportedRow>, seen: SeenKeys): void {
    if (typeof row === "string") {
      this.counts[row] += 1;
      return;
    }
    const { pageRequestRetentionDays: days } = this.#config;
    const { request, sender, arrivedAtMs } = row;
    const ageDays = (Date.now() - arrivedAtMs) / dayMs;
    if (ageDays < -1) throw new CommandError("The time is in the future");
    const formId = request.formId ?? this.#options.form ?? null;
    const arrival = { finding: null, arrivedAtMs, isSecret: this.#isSecret };
    if (days > 0 && ageDays > days) this.counts.tooOld += 1;
    else this.#batch.push(withKey(toStored({ ...request, formId }, sender, arrival), seen));
  }

  async #write(): Promise<void> {
    const { counts } = this;
    const batch = this.#batch.splice(0);
    const [first] = batch;
    if (first === undefined) return;
    const { pageRequestImport, retention } = this.#database?.api ?? {};
    const { dryRun } = this.#options;
    if (!dryRun && counts.added + counts.present === 0) {
      const { pageRequestRetentionDays: retentionDays } = this.#config;
      const span = { nowMs: Date.now(), oldestMs: first.arrivedAtMs };
      // Days that are over have no partitions yet. Without them, rows are stored in the default one.
      const partitions = retention?.preparePartitions({ ...span, retentionDays, isStart: true });
      await partitions?.catch(() => {});
    }
    const added = await pageRequestImport?.[dryRun ? "count" : "store"](batch);
    counts.added += added ?? batch.length;
    counts.present += batch.length - (added ?? batch.length);
  }
}

interface RunDeps {
  readonly signal: AbortSignal;
  readonly rejects: RejectsFile | null;
  readonly progress: Progress;
}

type Counts = Importer["counts"] & { readonly dryRun: boolean; readonly interrupted: boolean };

function report(counts: Counts, options: ImportOptions, terminal: Terminal): void {
  printReport(terminal, options, counts, (data) => {
    const { rows, added, present, rejected, problems, dryRun, interrupted } = data;
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
