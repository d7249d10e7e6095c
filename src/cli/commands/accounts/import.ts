import { randomBytes } from "node:crypto";
import type { AccountImports } from "../../../domain/log-in/accounts/account-import.ts";
import { Table, type TableFormat } from "../../../rows/table.ts";
import { HashSealing } from "../../../secrets/imported-hash.ts";
import type { SecretKeys } from "../../../secrets/secret-keys.ts";
import { type AdminContext, withAdminContext, withPreview } from "../../admin-context.ts";
import type { DeclareCommand } from "../../command.ts";
import { CommandError, exitCodes } from "../../exit-codes.ts";
import { openInput, standardInput } from "../../io/input.ts";
import { interruptible } from "../../io/interruption.ts";
import {
  choiceOption,
  configOption,
  type SharedOptions,
  tableFormatOption,
} from "../../io/options.ts";
import { countOf, formatCount, renderJsonLine, toPrintable } from "../../io/printable.ts";
import { Progress } from "../../io/progress.ts";
import type { Terminal } from "../../io/terminal.ts";
import { isSameFile, refuseProtectedFile } from "../../protected-files.ts";
import { findConfiguredKeys, readConfiguredKeys } from "../../secret-keys.ts";
import { readSettings } from "../../settings.ts";
import { type AccountField, accountColumns } from "./account-columns.ts";
import { RejectsFile, renderCounts, renderNotes } from "./import-report.ts";
import { AccountImporter } from "./importer.ts";
import {
  countSealed,
  describeRehash,
  progressOf,
  type RehashCounts,
  rehashSealed,
} from "./rehash.ts";
import { type ImportKind, importKinds } from "./row-hash.ts";

/** Sealed hashes from which hashing them again takes long enough to be announced: some seconds. */
const announcedMin = 500;

const rehashTimes = ["now", "later"];

interface ImportOptions extends SharedOptions {
  readonly format?: TableFormat;
  /** Kind of all hashes of the file. */
  readonly hash?: ImportKind;
  readonly overwrite?: boolean;
  /** When hashes are hashed again: `now` or `later`. */
  readonly rehash: "now" | "later";
  /** The former name of `rehash`. */
  readonly wrap?: "now" | "later";
  /** File for the rejected rows. */
  readonly rejects?: string;
}

const help = `
Examples:
  wfh accounts import users.csv --dry-run   count kinds of hashes and list problems
  wfh accounts import users.csv.gz --rejects rejected.ndjson
                                            import them, and write rejected rows to a file
  wfh accounts import members.csv --hash aspnet-membership-hmacsha256
                                            state the kind of the hashes
  sqlcmd … | wfh accounts import - --quiet  from a pipe
  wfh accounts import users.csv --rehash later && wfh accounts rehash
                                            all users can log in after the first command

Columns are known by these names; case, blanks, _ and - do not count:
  Record_Id, Record, Id                     record ID returned to callers
  Contact_Id, Contact                       contact ID (default: the record ID)
  UserName, Name, LoginName, Login          user name; case and surrounding blanks do not count
  PasswordHash, Hash, Password              the hash
  PasswordSalt, Salt; Iterations, Rounds; Algorithm, HashAlgorithm, Prf
                                            if the old system stored them separately
  Kind, HashKind                            kind of the hash, as for --hash
  PasswordFormat                            1 is a hash; 0 (clear) and 2 (encrypted) are refused
  IsEnabled, IsActive, IsApproved, IsDisabled, IsLockedOut
                                            whether the account may log in
  LockoutEnabled, LockoutEnd, LockoutEndDateUtc
                                            a lock without end disables the account
IDs are 64-bit integers. NULL means empty, as exported by SQL Server. Hashes of ASP.NET Identity,
bcrypt, Argon2id and SHA-1 of ASP.NET Membership are detected; others need Kind or --hash.

Importing the same file again changes nothing, even after log-ins and new passwords.
A newer hash replaces an imported one. If the password was set here, the row is rejected without
--overwrite. Hashes are first sealed with the key of this server, so that all users can log in,
and then hashed again with Argon2id, about 15 ms of a core each. Ctrl+C stops between two
batches; the same command goes on.

Exit codes: 0 all rows are in, 1 some were rejected, 2 wrong options, 3 the file or the database
cannot be used, 130 Ctrl+C.
`;

/** `wfh accounts import` imports accounts with the hashes of an old system (decision 0035). */
export const declareImport: DeclareCommand = (accounts, { terminal, exitWith }) => {
  accounts
    .command("import")
    .description("import accounts of an old system with IDs and hashes; may be repeated")
    .argument(
      "<file>",
      "CSV with a heading or one JSON object a line, packed by gzip or not; - is standard input",
    )
    .addOption(tableFormatOption())
    .addOption(choiceOption("--hash <kind>", "kind of all hashes of the file", importKinds))
    .option("--dry-run", "show what would change, and write nothing")
    .option("--overwrite", "replace accounts with the file's data, even if changed here")
    .addOption(
      choiceOption(
        "--rehash <when>",
        "when to hash the imported hashes again with Argon2id",
        rehashTimes,
      ).default("now"),
    )
    .addOption(choiceOption("--wrap <when>", "the same as --rehash", rehashTimes).hideHelp())
    .option("--rejects <file>", "file for the rejected rows, without their hashes")
    .option("--json", "one JSON object instead of tables")
    .option("-q, --quiet", "print only errors and the output of --json")
    .addOption(configOption())
    .addHelpText("after", help)
    .action(async (file: string, options: ImportOptions) =>
      exitWith(await importAccounts(file, options, terminal)),
    );
};

async function importAccounts(
  file: string,
  options: ImportOptions,
  terminal: Terminal,
): Promise<number> {
  const table = new Table(openInput(file, terminal), accountColumns, options.format);
  const rejects = options.rejects === undefined ? null : openOwnRejects(options, file);
  const kind = options.hash ?? null;
  const isDryRun = options.dryRun === true;
  const isOverwriting = options.overwrite === true;
  const run = (
    admin: AdminContext | null,
    database: Pick<AccountImports, "importAccounts">,
    keys: SecretKeys,
  ) => {
    const deps = { kind, sealing: new HashSealing(keys), database, rejects };
    const importer = new AccountImporter({ ...deps, isOverwriting, isDryRun });
    return interruptible(terminal, "Interrupted.", (signal) =>
      runImport({ importer, table, rejects, admin, signal, options, terminal }),
    );
  };
  if (isDryRun) {
    return withPreview(options.config, terminal, ({ database, config }) =>
      run(null, database, findConfiguredKeys(config) ?? unknownKeys()),
    );
  }
  return withAdminContext(
    options.config,
    terminal,
    (admin) => run(admin, admin.administration, readConfiguredKeys(admin.config)),
    "existing or new",
  );
}

/** A dry run makes no key: without one nothing was imported yet, and any will do. */
function unknownKeys(): SecretKeys {
  return [{ id: "unknown", bytes: randomBytes(32) }];
}

/** The file for rejected rows, which must not be one that is needed. */
function openOwnRejects({ rejects = "", config: configFile }: ImportOptions, input: string) {
  // Warnings of the settings are printed when the database is opened.
  const config = readSettings(configFile, { err: () => {} });
  refuseProtectedFile(rejects, "rejected rows", config);
  if (input === standardInput || !isSameFile(rejects, input)) return new RejectsFile(rejects);
  throw new CommandError(
    `--rejects ${toPrintable(rejects)} is the input file: choose another name.`,
    exitCodes.usage,
  );
}

interface RunDeps {
  readonly importer: AccountImporter;
  readonly table: Table<AccountField>;
  readonly rejects: RejectsFile | null;
  /** null in a dry run. */
  readonly admin: AdminContext | null;
  readonly signal: AbortSignal;
  readonly options: ImportOptions;
  readonly terminal: Terminal;
}

async function runImport(deps: RunDeps): Promise<number> {
  const { importer, admin, signal, options, terminal } = deps;
  const { tally } = importer;
  await importRows(deps);
  const left = admin === null ? 0 : await countSealed(admin.administration);
  const isRehashing =
    admin !== null && (options.wrap ?? options.rehash) === "now" && !signal.aborted;
  const counts = isRehashing && left > 0 ? await rehash(admin, left, deps) : { rehashed: 0, left };
  const isInterrupted = signal.aborted;
  if (options.json) {
    const ending = { wrapped: counts.rehashed, sealed: counts.left };
    const state = { dryRun: options.dryRun === true, interrupted: isInterrupted };
    terminal.out(renderJsonLine({ ...tally.toJson(), ...ending, ...state }));
  } else if (!options.quiet) {
    terminal.out(`\n${describeEnd(counts, { isRehashing, isInterrupted, ...options })}\n`);
  }
  if (isInterrupted) return exitCodes.interrupted;
  return tally.rejected > 0 ? exitCodes.no : exitCodes.done;
}

/** Imports the rows and reports them, also where reading ends early. */
async function importRows({
  importer,
  table,
  rejects,
  signal,
  options,
  terminal,
}: RunDeps): Promise<void> {
  const { tally } = importer;
  const startedAtMs = Date.now();
  const { quiet, json, dryRun = false } = options;
  const progress = new Progress(terminal, { verb: "Reading", noun: "rows", quiet });
  try {
    await importer.run(table, signal, (count) => progress.update(count, table.file.share));
  } finally {
    progress.close();
    rejects?.close();
    // A file that cannot be read has nothing to report.
    if (!quiet && tally.rows > 0) {
      const tookMs = Date.now() - startedAtMs;
      terminal.err(renderNotes(tally, table.ignoredColumns, tookMs, options.rejects));
      const ending = signal.aborted ? "Interrupted: what is counted here stays.\n" : "";
      if (!json) terminal.out(renderCounts(tally, dryRun) + ending);
    }
  }
}

function rehash(
  admin: AdminContext,
  sealed: number,
  { options, signal, terminal }: RunDeps,
): Promise<RehashCounts> {
  if (!options.quiet && !options.json && sealed >= announcedMin) {
    terminal.err(
      `${formatCount(sealed)} hashes are sealed with the key of this server, and all users can log in. Now each is hashed again with Argon2id, which takes about 15 ms of a core. Ctrl+C stops it, and wfh accounts rehash goes on.\n`,
    );
  }
  return rehashSealed(admin, signal, progressOf(options, terminal));
}

function describeEnd(
  counts: RehashCounts,
  state: {
    readonly isRehashing: boolean;
    readonly isInterrupted: boolean;
    readonly dryRun?: boolean;
  },
): string {
  if (state.dryRun) return "Nothing was written.";
  if (state.isRehashing) return describeRehash(counts, state.isInterrupted);
  const lines = state.isInterrupted ? ["Interrupted: the same command goes on."] : [];
  const { left } = counts;
  if (left > 0) {
    lines.push(
      `${countOf(left, "hash is", "hashes are")} sealed with the key of this server, and all users can log in. Hash them again with Argon2id: wfh accounts rehash`,
    );
  }
  return lines.length > 0 ? lines.join("\n") : describeRehash(counts, false);
}
