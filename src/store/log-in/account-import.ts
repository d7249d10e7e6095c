import type { Kysely } from "kysely";
import {
  type AccountChanges,
  decideImport,
  type ImportedAccount,
  type ImportMode,
  type ImportOutcome,
  type KnownAccount,
} from "../../domain/log-in/accounts/account-import.ts";
import { foldUserName } from "../../domain/log-in/accounts/credentials.ts";
import type { LogInEvent } from "../../domain/log-in/audit.ts";
import type { SessionEnd } from "../../domain/log-in/sessions/session.ts";
import type { Tables } from "../migrations/tables.ts";
import { eventOf, insertEvents } from "./events.ts";
import { endSessions, toEndEvents } from "./sessions.ts";

/** Rows of one statement: 1,800 parameters, where SQLite takes 32,766 and PostgreSQL 65,535. */
const chunkRows = 200;
/** Why, in events of an import. */
const reason = "import";

/** An account of a file with the name it is known by. */
interface Candidate extends ImportedAccount {
  readonly foldedName: string;
}

/** An account of a file and what becomes of it. */
interface Decided {
  readonly account: Candidate;
  readonly known: KnownAccount | null;
  readonly outcome: ImportOutcome;
}

/** Brings accounts in, within a transaction that holds back other operators; or only decides, in a dry run. */
export async function importAccounts(
  database: Kysely<Tables>,
  accounts: readonly ImportedAccount[],
  mode: ImportMode,
): Promise<readonly ImportOutcome[]> {
  const candidates = accounts.map((account) => ({
    ...account,
    foldedName: foldUserName(account.userName),
  }));
  const known = await findKnown(database, candidates);
  const namesakes = await findNamesakes(database, candidates);
  const decided = candidates.map((account): Decided => {
    const own = known.get(account.recordId) ?? null;
    const namesake = namesakes.get(account.foldedName) ?? null;
    const outcome = decideImport(account, own, namesake, mode.isOverwriting);
    return { account, known: own, outcome };
  });
  if (!mode.isDryRun) await write(database, decided, mode.nowMs);
  return decided.map(({ outcome }) => outcome);
}

async function findKnown(
  database: Kysely<Tables>,
  accounts: readonly ImportedAccount[],
): Promise<ReadonlyMap<bigint, KnownAccount>> {
  const found = new Map<bigint, KnownAccount>();
  for (const chunk of inChunks(accounts)) {
    const rows = await database
      .selectFrom("accounts")
      .leftJoin("account_imports as imported", "imported.record_id", "accounts.record_id")
      .select([
        "accounts.record_id",
        "accounts.contact_id",
        "accounts.user_name",
        "accounts.is_enabled",
        "imported.fingerprint",
        "imported.is_enabled as was_enabled",
        "imported.is_password_ours",
      ])
      .where(
        "accounts.record_id",
        "in",
        chunk.map(({ recordId }) => recordId),
      )
      .execute();
    for (const row of rows) {
      const { fingerprint, was_enabled } = row;
      const imported = fingerprint === null ? null : { fingerprint };
      found.set(row.record_id, {
        recordId: row.record_id,
        contactId: row.contact_id,
        userName: row.user_name,
        isEnabled: Boolean(row.is_enabled),
        imported: imported && {
          ...imported,
          isEnabled: was_enabled === null ? null : Boolean(was_enabled),
          isPasswordOurs: Boolean(row.is_password_ours),
        },
      });
    }
  }
  return found;
}

async function findNamesakes(
  database: Kysely<Tables>,
  candidates: readonly Candidate[],
): Promise<ReadonlyMap<string, bigint>> {
  const found = new Map<string, bigint>();
  for (const chunk of inChunks(candidates)) {
    const rows = await database
      .selectFrom("accounts")
      .select(["record_id", "folded_name"])
      .where(
        "folded_name",
        "in",
        chunk.map(({ foldedName }) => foldedName),
      )
      .execute();
    for (const row of rows) found.set(row.folded_name, row.record_id);
  }
  return found;
}

async function write(
  transaction: Kysely<Tables>,
  decided: readonly Decided[],
  nowMs: number,
): Promise<void> {
  const added = decided.filter(({ outcome }) => outcome.kind === "added");
  await insertAccounts(transaction, added, nowMs);
  const events = added.map(({ account }) => toEvent("account-added", account, nowMs));
  for (const { account, outcome } of decided) {
    if (outcome.kind !== "changed") continue;
    events.push(...(await changeAccount(transaction, account, { ...outcome, nowMs })));
  }
  await noteImports(transaction, decided.filter(isNews), nowMs);
  await insertEvents(transaction, events);
}

async function insertAccounts(
  transaction: Kysely<Tables>,
  added: readonly Decided[],
  nowMs: number,
): Promise<void> {
  for (const chunk of inChunks(added)) {
    const rows = chunk.map(({ account }) => ({
      record_id: account.recordId,
      contact_id: account.contactId,
      user_name: account.userName,
      folded_name: account.foldedName,
      hash: account.hash.record,
      hash_form: account.hash.form,
      is_enabled: account.isEnabled ?? true,
      epoch: 0n,
      created_at: BigInt(nowMs),
    }));
    await transaction.insertInto("accounts").values(rows).execute();
  }
}

async function changeAccount(
  transaction: Kysely<Tables>,
  account: Candidate,
  { changes, nowMs }: { readonly changes: AccountChanges; readonly nowMs: number },
): Promise<readonly LogInEvent[]> {
  const { hash, isEnabled } = changes;
  const why = endOf(changes);
  await transaction
    .updateTable("accounts")
    .set(({ eb }) => ({
      contact_id: account.contactId,
      user_name: account.userName,
      folded_name: account.foldedName,
      ...(hash ? { hash: account.hash.record, hash_form: account.hash.form } : {}),
      ...(isEnabled === null ? {} : { is_enabled: isEnabled }),
      epoch: eb("epoch", "+", why === null ? 0n : 1n),
    }))
    .where("record_id", "=", account.recordId)
    .execute();
  const events: LogInEvent[] = [];
  if (changes.userName || changes.contactId)
    events.push(toEvent("account-changed", account, nowMs));
  if (hash) events.push(toEvent("password-set", account, nowMs));
  if (isEnabled !== null) {
    events.push(toEvent(isEnabled ? "account-enabled" : "account-disabled", account, nowMs));
  }
  if (why !== null) {
    const which = { recordId: account.recordId };
    const ended = await endSessions(transaction, which, { why, atMs: nowMs });
    events.push(
      ...toEndEvents(ended, eventOf({ atMs: nowMs, name: "session-ended", reason: why })),
    );
  }
  return events;
}

/** Why sessions end with a change; null where they go on. They hold the contact id that they began with. */
function endOf({ hash, isEnabled, contactId }: AccountChanges): SessionEnd | null {
  if (isEnabled === false) return "disabled";
  if (hash) return "password-changed";
  return contactId ? "revoked" : null;
}

function toEvent(
  name: LogInEvent["name"],
  { recordId }: ImportedAccount,
  atMs: number,
): LogInEvent {
  return eventOf({ atMs, name, reason, accountId: recordId });
}

/** Whether the file says something of the account that was not noted yet, if only under an older key. */
function isNews({ account, known, outcome }: Decided): boolean {
  if (outcome.kind === "refused") return false;
  const imported = known?.imported ?? null;
  return (
    outcome.kind !== "unchanged" ||
    imported?.fingerprint !== account.fingerprints[0] ||
    imported.isEnabled !== account.isEnabled
  );
}

async function noteImports(
  transaction: Kysely<Tables>,
  news: readonly Decided[],
  nowMs: number,
): Promise<void> {
  for (const chunk of inChunks(news)) {
    const rows = chunk.map(({ account, known, outcome }) => ({
      record_id: account.recordId,
      fingerprint: account.fingerprints[0],
      is_enabled: account.isEnabled,
      is_password_ours:
        known?.imported?.isPasswordOurs === true &&
        !(outcome.kind === "changed" && outcome.changes.hash),
      imported_at: BigInt(nowMs),
    }));
    await transaction
      .insertInto("account_imports")
      .values(rows)
      .onConflict((noted) =>
        noted.column("record_id").doUpdateSet(({ ref }) => ({
          fingerprint: ref("excluded.fingerprint"),
          is_enabled: ref("excluded.is_enabled"),
          is_password_ours: ref("excluded.is_password_ours"),
          imported_at: ref("excluded.imported_at"),
        })),
      )
      .execute();
  }
}

/** Notes that a password was set here, which imports leave alone, within a transaction. */
export async function keepPassword(transaction: Kysely<Tables>, recordId: bigint): Promise<void> {
  await transaction
    .updateTable("account_imports")
    .set({ is_password_ours: true })
    .where("record_id", "=", recordId)
    .execute();
}

/** Forgets what imports have said, within a transaction; resolves to of how many accounts. */
export async function forgetImports(transaction: Kysely<Tables>): Promise<number> {
  const { numDeletedRows } = await transaction
    .deleteFrom("account_imports")
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

function* inChunks<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let first = 0; first < items.length; first += chunkRows) {
    yield items.slice(first, first + chunkRows);
  }
}
