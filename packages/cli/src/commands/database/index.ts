import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { fingerprintsOf } from "@wfh/server/secrets/secret-keys.ts";
import { keyFileOf } from "@wfh/server/server/settings/data-folder.ts";
import type { Config } from "@wfh/server/server/settings/settings.ts";
import { databaseAddressOf } from "@wfh/server/store/open-database.ts";
import { StoreError } from "@wfh/server/store/store-error.ts";
import { Option } from "commander";
import type { DatabaseCopy } from "../../database-copy/copy.ts";
import type { Command, DeclareCommand, SharedOptions } from "../../io/command.ts";
import { CommandError, exitCodes } from "../../io/exit-codes.ts";
import { openStepProgress } from "../../io/progress.ts";
import { printReport, type Section } from "../../io/report.ts";
import { findConfiguredKeys } from "../../io/secret-keys.ts";
import { readSettings } from "../../io/settings.ts";
import { interruptible } from "../../io/terminal.ts";

interface CopyCommandOptions extends SharedOptions {
  readonly to: string;
}

const help = `
Examples:
  wfh database copy --to postgres://wfh@127.0.0.1/wfh --dry-run
                                            count what would be copied, and check both databases
  PGPASSWORD=secret-1 wfh database copy --to postgres://wfh@127.0.0.1/wfh
                                            move from SQLite to PostgreSQL
  wfh database copy --to sqlite:/var/lib/wfh/wfh.db
                                            move back, with WFH_DATABASE_URL=postgres://…

First stop the servers of both databases. The source is the database of WFH_DATABASE_URL and is not
changed. The target must be empty: a SQLite file is created, but create a PostgreSQL database
yourself. If the copy is interrupted, run the same command again to continue.

The copy contains page requests with their IDs and event keys, accounts, imports of accounts,
sessions, forms, overrides of postal codes, and the counters and events of log-ins. At the end, all
rows of both databases are read and compared by a checksum for each table. Imported postal codes are
not copied, because the file of WFH_GAZETTEER has them too.

Exit codes: 0 copied, 1 the dry run found an obstacle, 69 failed, 78 invalid settings, 130
interrupted.
`;

/** `wfh database`. */
export const declareCommand: DeclareCommand = (database) => {
  database.addHelpText("after", help);
  const to = new Option("--to <url>", "address of the target: sqlite:<file> or postgres://…");
  database
    .command("copy")
    .description("Copy the database from SQLite to PostgreSQL, or back")
    .addOption(to.argParser(parseAddress).makeOptionMandatory())
    .shared("dryRun", "json", "quiet", "config")
    .addHelpText("after", help)
    .run(copy);
};

function parseAddress(text: string): string {
  // Not shown: it may contain a password.
  if (/^(?:sqlite:.|postgres(?:ql)?:\/\/)/.test(text)) return text;
  throw new CommandError(
    "--to is not the address of a database: expected sqlite:<file> or postgres://user@host/database",
    exitCodes.usage,
  );
}

async function copy(options: CopyCommandOptions, { terminal }: Command): Promise<number> {
  const { to, dryRun: isDryRun = false } = options;
  const config = readSettings(options.config, terminal);
  const { databaseUrl: from, pageRequestRetentionDays: retentionDays } = config;
  refuseSameEngine(from, to);
  const keys = findConfiguredKeys(config);
  const progress = openStepProgress(terminal, { noun: "rows", quiet: options.quiet });
  const { copyDatabase } = await import("../../database-copy/copy.ts");
  try {
    const done = await interruptible(terminal, `Interrupted. ${continuation}`, (signal) =>
      copyDatabase({
        from,
        to,
        isDryRun,
        retentionDays,
        signal,
        now: Date.now,
        keyFingerprints: keys && fingerprintsOf(keys),
        onProgress: progress.show,
      }),
    );
    progress.close();
    printReport(terminal, options, toData(done, options, config), describe);
    return done.obstacle === null ? exitCodes.done : exitCodes.no;
  } catch (cause) {
    if (!(cause instanceof StoreError)) throw cause;
    const sentence = /[.?]$/.test(cause.message) ? cause.message : `${cause.message}.`;
    throw new CommandError(`${sentence}\n${continuation}`, exitCodes.failed, cause);
  } finally {
    progress.close();
  }
}

const continuation =
  "The source is unchanged. What was copied is kept: run the same command again to continue.";

function refuseSameEngine(from: string, to: string): void {
  const source = databaseAddressOf(from);
  const target = databaseAddressOf(to);
  if (source.engine !== target.engine) return;
  const other =
    source.engine === "SQLite"
      ? "For another SQLite file use wfh backup and wfh restore."
      : "For another PostgreSQL database use pg_dump and pg_restore.";
  throw new CommandError(
    `Both WFH_DATABASE_URL (${source.shown}) and --to (${target.shown}) are ${source.engine}: a copy is from one engine to the other.\n${other}`,
    exitCodes.usage,
  );
}

/** A copy as `--json` prints it. */
function toData({ tables, obstacle }: DatabaseCopy, options: CopyCommandOptions, config: Config) {
  const keyFile = config.secretKeys.length > 0 ? null : resolve(keyFileOf(config));
  return {
    from: databaseAddressOf(config.databaseUrl).shown,
    to: databaseAddressOf(options.to).shown,
    dryRun: options.dryRun === true,
    obstacle,
    tables,
    keyFile,
  };
}

function describe(data: ReturnType<typeof toData>): readonly Section[] {
  const { from, dryRun, obstacle, tables, keyFile } = data;
  const rows = tables.map(({ table, rows, present, sha256 }) => [
    table,
    rows,
    present,
    rows - present,
    ...(dryRun ? [] : [sha256?.slice(0, checksumDigits) ?? ""]),
  ]);
  const header = ["Table", "Rows", "Present", dryRun ? "To copy" : "Copied"];
  if (dryRun) {
    const result = obstacle === null ? "Nothing was changed." : `Not possible now: ${obstacle}.`;
    return [{ header, rows }, result];
  }
  const next = [
    "Set WFH_DATABASE_URL to the address that you gave as --to.",
    describeKey(keyFile),
    "Run wfh doctor, then start the server.",
    `Keep ${from} until you are sure: the copy does not change it.`,
  ];
  return [
    { header: [...header, "SHA-256"], rows },
    "Counts and checksums of both databases are equal.",
    { title: "Next:", lines: next },
  ];
}

/** Digits of a checksum that people see; `--json` has all of them. */
const checksumDigits = 12;

/** Next step for the key, without which sessions end. */
function describeKey(keyFile: string | null): string {
  if (keyFile === null) return "Keep WFH_SECRET_KEYS as it is.";
  if (existsSync(keyFile))
    return `Set WFH_KEY_FILE = "${keyFile}", so that the key stays the same.`;
  return `Find the key file of the old server, which is not ${keyFile}, and set WFH_KEY_FILE to it.`;
}
