import { foldUserName } from "../../../domain/log-in/accounts/account.ts";
import {
  type ImportedAccount,
  type ImportOutcome,
  needsHash,
} from "../../../domain/log-in/accounts/account-import.ts";
import type { Cells } from "../../../rows/columns.ts";
import { keyOfText, SeenKeys } from "../../../rows/seen-keys.ts";
import type { Table } from "../../../rows/table.ts";
import type { ImportedHash } from "../../../secrets/imported-hash.ts";
import type { PasswordHasher } from "../../../secrets/password-hashing.ts";
import type { OpenPreview } from "../../../store/store.ts";
import type { CommandError } from "../../io/exit-codes.ts";
import { readRows } from "../../io/import-file.ts";
import type { RejectsFile } from "../../io/rejects-file.ts";
import {
  type AccountField,
  type AccountRowOptions,
  RowProblem,
  readAccountRow,
} from "./account-row.ts";
import { explainConflict, ImportTally, type Reject } from "./import-report.ts";

/** Accounts of one transaction: a second or two of hashing on two cores, which is what an interruption costs. */
const batchSize = 200;
/** Most rows of a file: duplicates are found in memory, with up to 64 bytes for each row. */
const rowsMax = 10_000_000;

/** What accounts are imported with. */
export interface AccountImporterDeps extends AccountRowOptions {
  readonly database: Pick<OpenPreview, "importAccounts">;
  readonly hashing: Pick<PasswordHasher, "rehash" | "formOf">;
  readonly isOverwriting: boolean;
  readonly isDryRun: boolean;
  /** null where rejected rows are only counted. */
  readonly rejects: RejectsFile | null;
}

interface NumberedAccount {
  readonly line: number;
  readonly account: Omit<ImportedAccount, "hash">;
  readonly hash: ImportedHash["hash"];
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
    const rows = readRows(table, {
      read: (cells, line) => this.#read(cells, line),
      reject: (line, problem, cells) => this.#rejectRow(line, problem, cells),
      rowsMax,
      afterTooMany: "Accounts imported so far are kept.",
      signal,
    });
    for await (const account of rows) {
      batch.push(account);
      if (batch.length < batchSize) continue;
      await this.#write(batch);
      batch = [];
      onBatch(tally.rows);
    }
    await this.#write(batch);
  }

  #read(cells: Cells<AccountField>, line: number): NumberedAccount {
    const { account, hash, kind } = readAccountRow(cells, this.#deps, Date.now());
    this.#refuseDuplicate(account, line);
    this.tally.addRead(kind);
    return { line, account, hash };
  }

  #rejectRow(line: number, problem: CommandError, cells: Cells<AccountField>): void {
    const { recordId, userName } = cells;
    const isId = typeof recordId === "string" && /^-?\d{1,19}$/.test(recordId);
    this.tally.rows += 1;
    this.#reject({
      line,
      recordId: isId ? BigInt(recordId) : null,
      userName: typeof userName === "string" ? userName.slice(0, 256) : null,
      reason: problem instanceof RowProblem ? problem.reason : "unreadable",
      message: problem.message,
    });
  }

  /** Of two rows with one ID or name, the first counts. */
  #refuseDuplicate({ recordId, userName }: NumberedAccount["account"], line: number): void {
    const name = keyOfText(foldUserName(userName));
    const sameId = this.#ids.find(recordId);
    if (sameId !== null) {
      throw new RowProblem("duplicate-id", `The record ID is already on line ${sameId}`);
    }
    const sameName = this.#names.find(name);
    if (sameName !== null) {
      throw new RowProblem("duplicate-name", `The user name is already on line ${sameName}`);
    }
    this.#ids.add(recordId, line);
    this.#names.add(name, line);
  }

  async #write(batch: readonly NumberedAccount[]): Promise<void> {
    if (batch.length === 0) return;
    const { database, isOverwriting, isDryRun } = this.#deps;
    const accounts = batch.map(({ account }) => ({ ...account, hash: null }));
    const mode = { isOverwriting, nowMs: Date.now() };
    // Hashing takes seconds, in which no transaction may be open.
    const planned = await database.importAccounts(accounts, { ...mode, isDryRun: true });
    const hashed = isDryRun ? [] : await this.#hashAll(batch, planned);
    const outcomes = isDryRun
      ? planned
      : await database.importAccounts(hashed, { ...mode, isDryRun });
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

  #hashAll(
    batch: readonly NumberedAccount[],
    planned: readonly ImportOutcome[],
  ): Promise<readonly ImportedAccount[]> {
    const { hashing } = this.#deps;
    return Promise.all(
      batch.map(async ({ account, hash }, i) => {
        if (!needsHash(planned[i])) return { ...account, hash: null };
        if ("record" in hash) return { ...account, hash };
        const record = await hashing.rehash(hash);
        this.tally.hashed += 1;
        return { ...account, hash: { record, form: hashing.formOf(record) } };
      }),
    );
  }

  #reject(reject: Reject): void {
    this.tally.addReject(reject);
    this.#deps.rejects?.add(reject);
  }
}
