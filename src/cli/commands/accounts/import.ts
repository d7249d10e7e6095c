import { randomBytes } from "node:crypto";
import type {
  AccountImports,
  ImportedAccount,
} from "../../../domain/log-in/accounts/account-import.ts";
import { foldUserName } from "../../../domain/log-in/accounts/credentials.ts";
import { HashSealing } from "../../../secrets/imported-hash.ts";
import type { SecretKeys } from "../../../secrets/secret-keys.ts";
import { type AdminContext, withAdminContext } from "../../admin-context.ts";
import type { Columns } from "../../columns.ts";
import { CommandError, exitCodes } from "../../exit-codes.ts";
import { interruptible } from "../../io/interruption.ts";
import { toPrintable } from "../../io/printable.ts";
import { Progress } from "../../io/progress.ts";
import type { Terminal } from "../../io/terminal.ts";
import { withPreview } from "../../preview.ts";
import { isSameFile, refuseProtectedFile } from "../../protected-files.ts";
import {
  type BadRow,
  type FileRow,
  openRowFile,
  parseRowFormat,
  type RowFile,
} from "../../row-file.ts";
import { findConfiguredKeys, readConfiguredKeys } from "../../secret-keys.ts";
import { readSettings } from "../../settings.ts";
import {
  type AccountField,
  createAccountColumns,
  requiredAccountFields,
} from "./account-columns.ts";
import { readAccountRow } from "./account-row.ts";
import { announceWrapping, reportEnd, reportRows } from "./import-report.ts";
import {
  count,
  countOutcome,
  countReject,
  explainConflict,
  newTally,
  type Reject,
  type Tally,
} from "./import-tally.ts";
import { countSealed, type RehashCounts, rehashSealed } from "./rehash.ts";
import { openRejects, type RejectsFile } from "./rejects-file.ts";
import { type ImportKind, parseImportKind } from "./row-hash.ts";
import { RowProblem } from "./row-problem.ts";
import { keyOfText, SeenKeys } from "./seen-keys.ts";

/** Accounts of one transaction: short enough not to hold up log-ins. */
const batchSize = 500;
/** Most rows of a file: what they say twice is found in memory, with up to 64 bytes for each. */
const rowsMax = 10_000_000;

/** Options of `accounts import`. */
export interface ImportAccountsOptions {
  readonly format?: string;
  /** Kind of all hashes of the file. */
  readonly hash?: string;
  readonly dryRun?: boolean;
  readonly overwrite?: boolean;
  /** When hashes are hashed once more: `now` or `later`. */
  readonly wrap: string;
  /** File for the rows that were not brought in. */
  readonly rejects?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly config?: string;
}

/** What rows are read and written with. */
interface Import {
  /** null in a dry run. */
  readonly office: AdminContext | null;
  readonly database: Pick<AccountImports, "importAccounts">;
  readonly options: ImportAccountsOptions;
  readonly kind: ImportKind | null;
  readonly sealing: HashSealing;
  readonly columns: Columns<AccountField>;
  readonly tally: Tally;
  readonly rejects: RejectsFile | null;
  readonly signal: AbortSignal;
  readonly meter: Progress;
  readonly seen: { readonly ids: SeenKeys; readonly names: SeenKeys };
}

/** An account of a file and the line it stands on. */
interface Numbered {
  readonly line: number;
  readonly account: ImportedAccount;
}

/**
 * Brings accounts of a file in, with the hashes of an old system (decision 0035). Resolves to the exit code.
 *
 * @throws {CommandError} when the options, the file, the keys or the database cannot be used.
 */
export async function importAccounts(
  file: string,
  options: ImportAccountsOptions,
  console: Terminal,
): Promise<number> {
  const kind = parseImportKind(options.hash);
  const format = parseRowFormat(options.format);
  if (options.wrap !== "now" && options.wrap !== "later") {
    throw new CommandError(
      `--wrap ${toPrintable(options.wrap)}: allowed is now or later`,
      exitCodes.usage,
    );
  }
  const columns = createAccountColumns();
  const heading = (names: readonly string[], name: string) => requireColumns(columns, names, name);
  const rows = openRowFile(file, { format, heading }, console);
  const rejects =
    options.rejects === undefined ? null : openOwnRejects(options.rejects, file, options);
  const run = (opened: Pick<Import, "office" | "database">, keys: SecretKeys) =>
    interruptible(console, "Interrupted.", async (signal) => {
      const sealing = new HashSealing(keys);
      const seen = { ids: new SeenKeys(), names: new SeenKeys() };
      const meter = new Progress(console, { verb: "Reading", noun: "rows", quiet: options.quiet });
      const parts = { ...opened, options, kind, sealing, columns, rejects, signal, seen };
      return runImport(rows, { ...parts, meter, tally: newTally() }, console);
    });
  if (options.dryRun) {
    return withPreview(options.config, console, ({ database, config }) =>
      run({ office: null, database }, findConfiguredKeys(config) ?? unknownKeys()),
    );
  }
  const open = (office: AdminContext) =>
    run({ office, database: office.administration }, readConfiguredKeys(office.config));
  return withAdminContext(options.config, console, open, "existing or new");
}

/** The file of rows that are left out, which must not take the place of another one that is needed. */
function openOwnRejects(
  rejects: string,
  input: string,
  { config: configFile }: ImportAccountsOptions,
): RejectsFile {
  // What is strange in the settings is told when the database is opened.
  const config = readSettings(configFile, { err: () => {} });
  refuseProtectedFile(rejects, "rejected rows", config);
  if (input === "-" || !isSameFile(rejects, input)) return openRejects(rejects);
  throw new CommandError(
    `--rejects ${toPrintable(rejects)} is the very file that is read: choose another name.`,
    exitCodes.usage,
  );
}

/** A dry run makes no key: without one nothing was imported yet, and any will do. */
function unknownKeys(): SecretKeys {
  return [{ id: "unknown", bytes: randomBytes(32) }];
}

function requireColumns(
  columns: Columns<AccountField>,
  names: readonly string[],
  file: string,
): void {
  const fields = new Set(names.map(columns.fieldOf));
  const missing = requiredAccountFields.filter(({ field }) => !fields.has(field));
  if (missing.length === 0) return;
  const wanted = missing.map(({ column }) => column).join(", ");
  const found = names.slice(0, 20).map(toPrintable).join(", ");
  throw new CommandError(
    `${file}: the heading has no column ${wanted}. It has: ${found}.\nSee what columns may be called: wfh accounts import --help`,
  );
}

async function runImport(file: RowFile, parts: Import, console: Terminal): Promise<number> {
  const { office, options, tally, signal } = parts;
  const startedAtMs = Date.now();
  try {
    await bringIn(file, parts);
  } finally {
    await parts.rejects?.close();
    const unknown = parts.columns.unknown();
    const tookMs = Date.now() - startedAtMs;
    const { aborted: isInterrupted } = signal;
    reportRows({ tally, unknown, tookMs, isInterrupted, options }, console);
  }
  const sealed = office === null ? 0 : await countSealed(office.administration);
  let wrapped: RehashCounts = { rehashed: 0, left: sealed };
  const isWrapping = office !== null && options.wrap === "now" && !signal.aborted;
  if (isWrapping && sealed > 0) {
    announceWrapping(sealed, options, console);
    const meter = new Progress(console, { verb: "Hashing", noun: "hashes", quiet: options.quiet });
    wrapped = await rehashSealed({ office, sealed, meter, signal });
  }
  const { aborted: isInterrupted } = signal;
  reportEnd({ tally, wrapped, isWrapping, isInterrupted, options }, console);
  if (isInterrupted) return exitCodes.interrupted;
  return tally.rejected > 0 ? exitCodes.no : exitCodes.done;
}

async function bringIn({ name, rows, share }: RowFile, parts: Import): Promise<void> {
  const { tally, signal, meter } = parts;
  let batch: Numbered[] = [];
  try {
    for await (const row of rows) {
      if (signal.aborted) break;
      if (++tally.rows > rowsMax) throw tooLong(name);
      const read = readRow(row, parts);
      if (read !== null) batch.push(read);
      if (batch.length < batchSize) continue;
      await writeBatch(batch, parts);
      batch = [];
      meter.update(tally.rows, share());
    }
  } catch (cause) {
    // Reading a pipe ends with an error then.
    if (!signal.aborted) throw cause;
  } finally {
    meter.close();
  }
  await writeBatch(batch, parts);
}

function tooLong(name: string): CommandError {
  return new CommandError(
    `${name} has more than ${rowsMax.toLocaleString("en-US")} rows: split it. What was brought in stays.`,
  );
}

/** null for a row that is rejected. */
function readRow(row: FileRow | BadRow, parts: Import): Numbered | null {
  const { tally, columns, kind, sealing } = parts;
  const { line } = row;
  try {
    if ("problem" in row) throw new RowProblem("unreadable", row.problem);
    const read = readAccountRow(row, { columns, kind, sealing, nowMs: Date.now() });
    refuseSeen(read.account, line, parts);
    count(tally.kinds, read.kind);
    return { line, account: read.account };
  } catch (cause) {
    if (!(cause instanceof RowProblem)) throw cause;
    const { reason, message } = cause;
    reject({ line, ...identify(row, columns), reason, message }, parts);
    return null;
  }
}

/** What a row that is rejected says of itself, as far as it can be read; an id only where it is one. */
function identify(row: FileRow | BadRow, columns: Columns<AccountField>) {
  if ("problem" in row) return { recordId: null, userName: null };
  const { recordId, userName } = columns.pick(row);
  const isId = typeof recordId === "string" && /^-?\d{1,19}$/.test(recordId);
  return {
    recordId: isId ? BigInt(recordId) : null,
    userName: typeof userName === "string" ? userName.slice(0, 256) : null,
  };
}

/** What a file says twice counts once, where it stands first. */
function refuseSeen({ recordId, userName }: ImportedAccount, line: number, { seen }: Import): void {
  const name = keyOfText(foldUserName(userName));
  const sameId = seen.ids.find(recordId);
  if (sameId !== null) {
    throw new RowProblem("duplicate-id", `The record id is already in line ${sameId}`);
  }
  const sameName = seen.names.find(name);
  if (sameName !== null) {
    throw new RowProblem("duplicate-name", `The user name is already in line ${sameName}`);
  }
  seen.ids.add(recordId, line);
  seen.names.add(name, line);
}

async function writeBatch(batch: readonly Numbered[], parts: Import): Promise<void> {
  if (batch.length === 0) return;
  const { database, options, tally } = parts;
  const mode = {
    isOverwriting: options.overwrite === true,
    isDryRun: options.dryRun === true,
    nowMs: Date.now(),
  };
  const accounts = batch.map(({ account }) => account);
  const outcomes = await database.importAccounts(accounts, mode);
  for (const [i, { line, account }] of batch.entries()) {
    const outcome = outcomes[i];
    if (outcome === undefined) continue;
    countOutcome(tally, outcome);
    if (outcome.kind !== "refused") continue;
    const { recordId, userName } = account;
    reject({ line, recordId, userName, ...explainConflict(outcome.conflict) }, parts);
  }
}

function reject(one: Reject, { tally, rejects }: Import): void {
  countReject(tally, one);
  rejects?.add(one);
}
