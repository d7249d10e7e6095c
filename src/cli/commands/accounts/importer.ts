import { foldUserName } from "../../../domain/log-in/accounts/account.ts";
import type {
  AccountImports,
  ImportedAccount,
} from "../../../domain/log-in/accounts/account-import.ts";
import type { Table, TableRow } from "../../../rows/table.ts";
import { CommandError } from "../../exit-codes.ts";
import { formatCount } from "../../io/printable.ts";
import type { AccountField } from "./account-columns.ts";
import { type AccountRowOptions, readAccountRow } from "./account-row.ts";
import { explainConflict, ImportTally, type Reject, type RejectsFile } from "./import-report.ts";
import { RowProblem } from "./row-problem.ts";
import { keyOfText, SeenKeys } from "./seen-keys.ts";

/** Accounts of one transaction: short enough not to hold up log-ins. */
const batchSize = 500;
/** Most rows of a file: duplicates are found in memory, with up to 64 bytes for each row. */
const rowsMax = 10_000_000;

/** What accounts are imported with. */
export interface AccountImporterDeps extends AccountRowOptions {
  readonly database: Pick<AccountImports, "importAccounts">;
  readonly isOverwriting: boolean;
  readonly isDryRun: boolean;
  /** null where rejected rows are only counted. */
  readonly rejects: RejectsFile | null;
}

/** An account of a file and its line. */
interface NumberedAccount {
  readonly line: number;
  readonly account: ImportedAccount;
}

/** Imports the rows of a file in batches, and counts what became of each. */
export class AccountImporter {
  readonly tally = new ImportTally();
  readonly #deps: AccountImporterDeps;
  readonly #ids = new SeenKeys();
  readonly #names = new SeenKeys();

  constructor(deps: AccountImporterDeps) {
    this.#deps = deps;
  }

  /**
   * Reads and writes all rows; whole batches stay when it ends early.
   *
   * @throws {RowFileError} when the file cannot be read any further.
   */
  async run(
    table: Table<AccountField>,
    signal: AbortSignal,
    onBatch: (rows: number) => void,
  ): Promise<void> {
    const { tally } = this;
    let batch: NumberedAccount[] = [];
    for await (const row of untilAborted(table.rows(), signal)) {
      if (++tally.rows > rowsMax) {
        throw new CommandError(
          `${table.file.name} has more than ${formatCount(rowsMax)} rows: split it. What was imported stays.`,
        );
      }
      const read = this.#read(row);
      if (read !== null) batch.push(read);
      if (batch.length < batchSize) continue;
      await this.#write(batch);
      batch = [];
      onBatch(tally.rows);
    }
    await this.#write(batch);
  }

  /** null for a row that is rejected. */
  #read(row: TableRow<AccountField>): NumberedAccount | null {
    const { line } = row;
    try {
      if ("problem" in row) throw new RowProblem("unreadable", row.problem);
      const { account, kind } = readAccountRow(row.cells, this.#deps, Date.now());
      this.#refuseDuplicate(account, line);
      this.tally.addRead(kind);
      return { line, account };
    } catch (cause) {
      if (!(cause instanceof RowProblem)) throw cause;
      const { reason, message } = cause;
      this.#reject({ line, ...identify(row), reason, message });
      return null;
    }
  }

  /** Of two rows with one id or name, the first counts. */
  #refuseDuplicate({ recordId, userName }: ImportedAccount, line: number): void {
    const name = keyOfText(foldUserName(userName));
    const sameId = this.#ids.find(recordId);
    if (sameId !== null) {
      throw new RowProblem("duplicate-id", `The record id is already in line ${sameId}`);
    }
    const sameName = this.#names.find(name);
    if (sameName !== null) {
      throw new RowProblem("duplicate-name", `The user name is already in line ${sameName}`);
    }
    this.#ids.add(recordId, line);
    this.#names.add(name, line);
  }

  async #write(batch: readonly NumberedAccount[]): Promise<void> {
    if (batch.length === 0) return;
    const { database, isOverwriting, isDryRun } = this.#deps;
    const accounts = batch.map(({ account }) => account);
    const mode = { isOverwriting, isDryRun, nowMs: Date.now() };
    const outcomes = await database.importAccounts(accounts, mode);
    for (const [i, { line, account }] of batch.entries()) {
      const outcome = outcomes[i];
      if (outcome === undefined) continue;
      if (outcome.kind === "refused") {
        const { conflict } = outcome;
        const { recordId, userName } = account;
        const message = explainConflict(conflict);
        this.#reject({ line, recordId, userName, reason: conflict.kind, message });
      } else this.tally.outcomes[outcome.kind] += 1;
    }
  }

  #reject(reject: Reject): void {
    this.tally.addReject(reject);
    this.#deps.rejects?.add(reject);
  }
}

/** What can be read of a rejected row; a record id only where it is one. */
function identify(row: TableRow<AccountField>): Pick<Reject, "recordId" | "userName"> {
  if ("problem" in row) return { recordId: null, userName: null };
  const { recordId, userName } = row.cells;
  const isId = typeof recordId === "string" && /^-?\d{1,19}$/.test(recordId);
  return {
    recordId: isId ? BigInt(recordId) : null,
    userName: typeof userName === "string" ? userName.slice(0, 256) : null,
  };
}

/** Ends quietly when the signal is aborted, also where that makes reading a pipe fail. */
async function* untilAborted<Row>(rows: AsyncIterable<Row>, signal: AbortSignal) {
  try {
    for await (const row of rows) {
      if (signal.aborted) return;
      yield row;
    }
  } catch (cause) {
    if (!signal.aborted) throw cause;
  }
}
