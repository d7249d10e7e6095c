import { hash } from "node:crypto";
import type { StoredPageRequest } from "@wfh/server/domain/page-requests/page-request.ts";
import { compileSecretNames } from "@wfh/server/domain/page-requests/secret-names.ts";
import { makeDataDir } from "@wfh/server/server/settings/config.ts";
import type { AdminDatabase } from "@wfh/server/store/admin/open-admin.ts";
import { type OpenAdmin, withDatabase } from "../../io/admin-context.ts";
import type { Command, DeclareCommand, SharedOptions } from "../../io/command.ts";
import type { CommandError } from "../../io/exit-codes.ts";
import { shownRowsMax } from "../../io/import-report.ts";
import { type RejectedRow, RejectedRows } from "../../io/rejected-rows.ts";
import type { Section } from "../../io/report.ts";
import { importRows, type RowImport } from "../../io/row-import.ts";
import { readSettings } from "../../io/settings.ts";
import { openInput } from "../../io/terminal.ts";
import type { Cells } from "../../rows/columns.ts";
import { Table } from "../../rows/csv-table.ts";
import { RowFileError } from "../../rows/row-file-error.ts";
import { keyOfText, SeenKeys } from "../../rows/seen-keys.ts";
import {
  describeLocalTime,
  type PageRequestColumn,
  pageRequestTable,
  type RowOptions,
  readImportedRow,
  skippedRows,
} from "./imported-row.ts";

/** Most rows of a file: identical ones are counted in memory, with up to 32 bytes for each row. */
const rowsMax = 50_000_000;

interface ImportOptions extends SharedOptions {
  readonly pages?: RegExp;
  readonly form?: bigint;
  readonly rejects?: string;
}

const help = `
Examples:
  wfh page-requests import old.csv --dry-run
                                            count the rows of the old table, and list invalid ones
  wfh page-requests import u_ex*.log        import calls of LogPageRequestAsync from IIS logs
  wfh page-requests import u_ex*.log --pages '/contact*.aspx' --form 12
                                            import views of pages as page requests of form 12

Columns are named as in the contract (form_id) or as in our exports (formId). Only the time is
required: arrivedAt, created or date, in ISO 8601 or as SQL Server writes it. A time without a zone
is UTC. NULL means empty.

IIS logs (W3C extended) have no bodies, so form, contact and screen stay empty. The page is the
referrer of the call. Only JSON calls have the operation in their path. SOAP calls are skipped and
counted, unless the log has the field cs(SOAPAction). If most calls are SOAP, use --pages.

You can import the same rows again, also from another file: they are stored once. Identical rows
within one file are all stored. If the import is interrupted or the disk is full, run the same
command again.

Exit codes: 0 all rows imported, 1 some rows rejected, 2 invalid options, 69 cannot read a file or
use the database, 78 invalid settings, 130 interrupted.
`;

/** `wfh page-requests import` (decision 0083). */
export const declareImportPageRequests: DeclareCommand = (group) =>
  group
    .command("import")
    .description("Import page requests of an old server from its table or from IIS logs")
    .argument(
      "<files...>",
      "CSV with a header, JSON lines or IIS logs; plain, gzip or zip; - reads standard input",
    )
    .value(
      "--pages <pattern>",
      "import views of these pages from IIS logs, instead of calls; * matches any text",
      toPattern,
    )
    .id("--form <id>", "form ID for rows without one")
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
  const { dryRun = false, pages, form } = options;
  const config = readSettings(options.config, terminal);
  const { pageRequestRetentionDays: retentionDays } = config;
  const tables = files.map((file) => new Table(openInput(file, terminal), pageRequestTable));
  const rejected = new RejectedRows<RejectedPageRequest>(options.rejects, files, config);
  const { databaseUrl, diskReserveMb: diskReserve } = config;
  if (!dryRun) makeDataDir(config);
  const open: OpenAdmin<AdminDatabase | null> = ({ openAdmin, findAdmin }) =>
    dryRun ? findAdmin(databaseUrl) : openAdmin(databaseUrl, "import", Date.now);
  const isSecret = compileSecretNames(config.secretParameters);
  const rowOptions = { pages, form, nowMs: Date.now(), retentionDays, isSecret };
  const limits = { diskReserve, retentionDays, now: Date.now };
  return withDatabase(open, (database) => {
    const add = async (batch: readonly StoredPageRequest[]) => {
      // A dry run on a database that is not there yet.
      if (database === null) return batch.length;
      const { pageRequestImport } = database;
      return dryRun ? pageRequestImport.count(batch) : pageRequestImport.store(batch, limits);
    };
    const importer = new PageRequestImporter({ tables, rejected, rowOptions, add, dryRun });
    return importRows(importer, { tables, rejected, options, terminal });
  });
}

interface RejectedPageRequest extends RejectedRow {
  readonly file: string;
}

interface PageRequestImporterDeps {
  readonly tables: readonly Table<PageRequestColumn>[];
  readonly rejected: RejectedRows<RejectedPageRequest>;
  readonly rowOptions: RowOptions;
  /** Resolves to how many of a batch are new. */
  readonly add: (batch: readonly StoredPageRequest[]) => Promise<number>;
  readonly dryRun: boolean;
}

/** Import of page requests, which counts what became of each row. */
class PageRequestImporter
  implements RowImport<PageRequestColumn, StoredPageRequest, RejectedPageRequest>
{
  /** Short enough not to hold up page requests that arrive. */
  readonly batchRows = 1_000;
  readonly #deps: PageRequestImporterDeps;
  readonly #counts = { added: 0, present: 0, ...skippedRows };
  /** Rows of all files of a dry run: those of earlier files are not in the database. */
  readonly #planned = new SeenKeys();

  constructor(deps: PageRequestImporterDeps) {
    this.#deps = deps;
  }

  readerOf({ file: { name } }: Table<PageRequestColumn>) {
    const seen = new SeenKeys();
    const read = (cells: Cells<PageRequestColumn>, line: number) => {
      const problem = describeLocalTime(cells);
      if (problem !== null) throw new RowFileError(name, problem, { line });
      const row = readImportedRow(cells, this.#deps.rowOptions);
      if (typeof row !== "string") return withKey(row, seen);
      this.#counts[row] += 1;
      return null;
    };
    const reject = (line: number, { message }: CommandError) =>
      this.#deps.rejected.add({ file: name, line, message });
    return { read, reject, rowsMax };
  }

  async write(batch: readonly StoredPageRequest[]): Promise<void> {
    const { add, dryRun } = this.#deps;
    const keyOf = (row: StoredPageRequest) => keyOfText(`${row.formId} ${row.eventKey}`);
    const isNew = (row: StoredPageRequest) => this.#planned.count(keyOf(row)) === 0;
    const added = await add(dryRun ? batch.filter(isNew) : batch);
    this.#counts.added += added;
    this.#counts.present += batch.length - added;
  }

  labelOf({ file, line }: RejectedPageRequest): string {
    return `${file}, line ${line}`;
  }

  toJson(rows: number) {
    return {
      rows,
      ...this.#counts,
      rejected: this.#deps.rejected.count,
      problems: this.#deps.rejected.first.slice(0, shownRowsMax),
      ignoredColumns: [...new Set(this.#deps.tables.flatMap((table) => table.ignoredColumns))],
    };
  }

  describe(rows: number): readonly Section[] {
    const { added, present, otherRequests, soapCalls, tooOld } = this.#counts;
    const skipped = [
      ["other requests", otherRequests],
      ["SOAP calls, whose operation is not in the log", soapCalls],
      ["older than WFH_PAGE_REQUEST_RETENTION", tooOld],
    ] as const;
    const header = [
      "Rows",
      this.#deps.dryRun ? "Would be added" : "Added",
      "Already there",
      "Rejected",
    ];
    return [
      { header, rows: [[rows, added, present, this.#deps.rejected.count]] },
      { header: ["Skipped", "Rows"], rows: skipped.filter(([, count]) => count > 0) },
    ];
  }
}

/**
 * Gives a page request a key made of what is stored, which tells nothing more: a hash of the whole
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
