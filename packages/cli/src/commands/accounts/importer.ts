import { foldUserName } from "@wfh/server/domain/log-in/accounts/account.ts";
import {
  type AccountImportOutcome,
  type ImportConflict,
  type ImportedAccount,
  needsHash,
} from "@wfh/server/domain/log-in/accounts/account-import.ts";
import { countOf } from "@wfh/server/lib/printable.ts";
import type { ImportedHash } from "@wfh/server/secrets/imported-hash.ts";
import type { PasswordHasher } from "@wfh/server/secrets/password-hashing.ts";
import type { Administration } from "@wfh/server/store/admin/administration.ts";
import type { CommandError } from "../../io/exit-codes.ts";
import type { RejectedRow, RejectedRows } from "../../io/rejected-rows.ts";
import type { Section } from "../../io/report.ts";
import type { RowImport, RowReader } from "../../io/row-import.ts";
import type { Cells } from "../../rows/columns.ts";
import { keyOfText, SeenKeys } from "../../rows/seen-keys.ts";
import {
  type AccountField,
  type AccountRowOptions,
  RowProblem,
  type RowReason,
  readAccountRow,
} from "./account-row.ts";

/** Most rows of a file: duplicates are found in memory, with up to 64 bytes for each row. */
const rowsMax = 10_000_000;

/** Account that is rejected. Its message contains no part of a hash or a password. */
export interface RejectedAccount extends RejectedRow {
  /** null where it cannot be read. */
  readonly recordId: bigint | null;
  readonly userName: string | null;
  readonly reason: RowReason;
}

/** Database, hashing and options of an import of accounts. */
export interface AccountImporterDeps extends AccountRowOptions {
  readonly rejected: RejectedRows<RejectedAccount>;
  readonly database: Pick<Administration, "importAccounts">;
  readonly hashing: Pick<PasswordHasher, "rehash" | "formOf">;
  readonly isOverwriting: boolean;
  readonly isDryRun: boolean;
}

interface NumberedAccount {
  readonly line: number;
  readonly account: Omit<ImportedAccount, "hash">;
  readonly hash: ImportedHash["hash"];
}

/** Import of accounts, which counts what became of each row. */
export class AccountImporter implements RowImport<AccountField, NumberedAccount, RejectedAccount> {
  /** A second or two of hashing on two cores. */
  readonly batchRows = 200;
  readonly #deps: AccountImporterDeps;
  readonly #ids = new SeenKeys();
  readonly #names = new SeenKeys();
  readonly #outcomes = { added: 0, changed: 0, unchanged: 0 };
  /** Old hashes that were hashed with Argon2id. */
  #hashed = 0;
  /** Rows that could be read, by the kind of their hash. */
  readonly #kinds: Record<string, number> = {};

  constructor(deps: AccountImporterDeps) {
    this.#deps = deps;
  }

  readerOf(): RowReader<AccountField, NumberedAccount> {
    return {
      read: (cells, line) => this.#read(cells, line),
      reject: (line, problem, cells) => this.#rejectRow(line, problem, cells),
      rowsMax,
    };
  }

  #read(cells: Cells<AccountField>, line: number): NumberedAccount {
    const { account, hash, kind } = readAccountRow(cells, this.#deps, Date.now());
    this.#refuseDuplicate(account, line);
    this.#kinds[kind] = (this.#kinds[kind] ?? 0) + 1;
    return { line, account, hash };
  }

  #rejectRow(line: number, problem: CommandError, cells: Cells<AccountField>): void {
    const { recordId, userName } = cells;
    const isId = typeof recordId === "string" && /^-?\d{1,19}$/.test(recordId);
    this.#deps.rejected.add({
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

  async write(batch: readonly NumberedAccount[]): Promise<void> {
    const { database, isOverwriting, isDryRun } = this.#deps;
    const accounts = batch.map(({ account }) => ({ ...account, hash: null }));
    const mode = { isOverwriting, nowMs: Date.now() };
    // Hashing takes seconds, in which no transaction may be open.
    let outcomes = await database.importAccounts(accounts, { ...mode, isDryRun: true });
    if (!isDryRun) {
      const hashed = await this.#hashAll(batch, outcomes);
      outcomes = await database.importAccounts(hashed, { ...mode, isDryRun });
    }
    for (const [i, { line, account }] of batch.entries()) {
      const outcome = outcomes[i];
      if (outcome?.kind === "refused") {
        const { recordId, userName } = account;
        const { conflict } = outcome;
        const message = explainConflict(conflict);
        this.#deps.rejected.add({ line, recordId, userName, reason: conflict.kind, message });
      } else if (outcome !== undefined) this.#outcomes[outcome.kind] += 1;
    }
  }

  #hashAll(
    batch: readonly NumberedAccount[],
    planned: readonly AccountImportOutcome[],
  ): Promise<readonly ImportedAccount[]> {
    const { hashing } = this.#deps;
    return Promise.all(
      batch.map(async ({ account, hash }, i) => {
        if (!needsHash(planned[i])) return { ...account, hash: null };
        if ("record" in hash) return { ...account, hash };
        const record = await hashing.rehash(hash);
        this.#hashed += 1;
        return { ...account, hash: { record, form: hashing.formOf(record) } };
      }),
    );
  }

  labelOf({ line, recordId, userName }: RejectedAccount): string {
    const record = recordId === null ? "" : `, record ${recordId}`;
    return `Line ${line}${record}${userName ? `, ${userName}` : ""}`;
  }

  toJson(rows: number) {
    return {
      rows,
      ...this.#outcomes,
      rejected: this.#deps.rejected.count,
      hashed: this.#hashed,
      kinds: Object.fromEntries(inOrder(this.#kinds)),
      reasons: Object.fromEntries(inOrder(this.#deps.rejected.byReason)),
    };
  }

  describe(rows: number): readonly Section[] {
    const { added, changed, unchanged } = this.#outcomes;
    const { isDryRun } = this.#deps;
    return [
      { header: ["Kind of hash", "Rows"], rows: inOrder(this.#kinds) },
      { header: ["Reason for rejection", "Rows"], rows: inOrder(this.#deps.rejected.byReason) },
      {
        header: [isDryRun ? "Would be added" : "Added", "Changed", "Unchanged", "Rejected", "Rows"],
        rows: [[added, changed, unchanged, this.#deps.rejected.count, rows]],
      },
      isDryRun
        ? ""
        : `Hashed ${countOf(this.#hashed, "imported hash", "imported hashes")} with Argon2id.`,
    ];
  }
}

/** Says why an account in the database was not changed. */
function explainConflict(conflict: ImportConflict): string {
  switch (conflict.kind) {
    case "name-taken":
      return `Account ${conflict.recordId} already has this user name`;
    case "not-imported":
      return "The account with this record ID was not imported. Use --overwrite to replace it";
    case "password-set-here":
      return "The password was changed on this server. Use --overwrite to replace it with the hash in the file";
  }
}

function inOrder(counts: Readonly<Record<string, number>>): [name: string, rows: number][] {
  return Object.entries(counts).sort(([one], [other]) => (one < other ? -1 : 1));
}
