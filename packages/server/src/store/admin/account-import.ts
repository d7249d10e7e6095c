import { foldUserName } from "../../domain/log-in/accounts/account.ts";
import {
  type AccountChanges,
  type AccountImportOutcome,
  decideImport,
  type ImportedAccount,
  type ImportMode,
  type KnownAccount,
} from "../../domain/log-in/accounts/account-import.ts";
import { AdministrationError } from "../../domain/log-in/accounts/administration.ts";
import type { LogInEvent } from "../../domain/log-in/audit.ts";
import type { SessionEnd } from "../../domain/log-in/sessions/session.ts";
import { eventOf, insertEvents } from "../log-in/events.ts";
import { refuseTickets } from "../log-in/legacy-tickets.ts";
import { endSessions, toEndEvents } from "../log-in/sessions.ts";
import { insertInto, type SqlConnection, statement } from "../sql.ts";
import { insertAccounts } from "./accounts.ts";

const reason = "import";

/** An account of a file with the name it is known by. */
interface Candidate extends ImportedAccount {
  readonly foldedName: string;
}

/** An account of a file and what becomes of it. */
interface Decided {
  readonly account: Candidate;
  readonly known: KnownAccount | null;
  readonly outcome: AccountImportOutcome;
}

/** An account as it is, with what the latest import said of it (decision 0035). */
type KnownRow = Omit<KnownAccount, "imported"> & {
  readonly fingerprint: string | null;
  readonly wasEnabled: boolean | null;
  readonly isPasswordOurs: boolean | null;
};

const findKnown = statement<{ ids: readonly bigint[] }, KnownRow>(`
  select accounts.record_id as "recordId", contact_id as "contactId", user_name as "userName",
    accounts.is_enabled as "isEnabled", fingerprint, imported.is_enabled as "wasEnabled",
    is_password_ours as "isPasswordOurs"
  from accounts left join account_imports as imported on imported.record_id = accounts.record_id
  where accounts.record_id = any(:ids)`);
const findNamesakes = statement<
  { names: readonly string[] },
  { record_id: bigint; folded_name: string }
>("select record_id, folded_name from accounts where folded_name = any(:names)");
const update = statement<{
  id: bigint;
  contactId: bigint;
  userName: string;
  foldedName: string;
  record: string | null;
  form: string | null;
  isEnabled: boolean | null;
  epochs: number;
}>(`
  update accounts set contact_id = :contactId, user_name = :userName, folded_name = :foldedName,
    hash = coalesce(:record, hash), hash_form = coalesce(:form, hash_form),
    is_enabled = coalesce(:isEnabled, is_enabled), epoch = epoch + :epochs
  where record_id = :id`);
const noteImports = insertInto(
  "account_imports",
  {
    record_id: "int64",
    fingerprint: "text",
    is_enabled: "boolean",
    is_password_ours: "boolean",
    imported_at: "int64",
  },
  `on conflict (record_id) do update set fingerprint = excluded.fingerprint,
    is_enabled = excluded.is_enabled, is_password_ours = excluded.is_password_ours,
    imported_at = excluded.imported_at`,
);
const keepOne = statement<{ id: bigint }>(
  "update account_imports set is_password_ours = true where record_id = :id",
);
const forgetAll = statement("delete from account_imports");

/** Brings accounts in, or only decides in a dry run; its transaction blocks other operators. */
export async function importAccounts(
  connection: SqlConnection,
  accounts: readonly ImportedAccount[],
  mode: ImportMode,
): Promise<readonly AccountImportOutcome[]> {
  const candidates = accounts.map((account) => ({
    ...account,
    foldedName: foldUserName(account.userName),
  }));
  const ids = candidates.map(({ recordId }) => recordId);
  const known = new Map(
    (await connection.rows(findKnown, { ids })).map((row) => [row.recordId, toKnown(row)]),
  );
  const names = candidates.map(({ foldedName }) => foldedName);
  const namesakes = new Map(
    (await connection.rows(findNamesakes, { names })).map((row) => [
      row.folded_name,
      row.record_id,
    ]),
  );
  const decided = candidates.map((account): Decided => {
    const own = known.get(account.recordId) ?? null;
    const namesake = namesakes.get(account.foldedName) ?? null;
    const outcome = decideImport(account, own, namesake, mode.isOverwriting);
    return { account, known: own, outcome };
  });
  if (!mode.isDryRun) await write(connection, decided, mode.nowMs);
  return decided.map(({ outcome }) => outcome);
}

function toKnown({ fingerprint, wasEnabled, isPasswordOurs, ...account }: KnownRow): KnownAccount {
  if (fingerprint === null) return { ...account, imported: null };
  const imported = { fingerprint, isEnabled: wasEnabled };
  return { ...account, imported: { ...imported, isPasswordOurs: isPasswordOurs === true } };
}

async function write(
  transaction: SqlConnection,
  decided: readonly Decided[],
  nowMs: number,
): Promise<void> {
  const added = decided.filter(({ outcome }) => outcome.kind === "added");
  await transaction.insert(
    insertAccounts,
    added.map(({ account }) => [
      account.recordId,
      account.contactId,
      account.userName,
      account.foldedName,
      hashOf(account).record,
      hashOf(account).form,
      account.isEnabled ?? true,
      0,
      nowMs,
    ]),
  );
  const events = added.map(({ account }) => toEvent("account-added", account, nowMs));
  for (const { account, outcome } of decided) {
    if (outcome.kind !== "changed") continue;
    events.push(...(await changeAccount(transaction, account, { ...outcome, nowMs })));
  }
  await transaction.insert(
    noteImports,
    decided.filter(isNews).map((one) => toNote(one, nowMs)),
  );
  await insertEvents(transaction, events);
}

/**
 * @throws {AdministrationError} when an account was changed after the import decided which hashes
 * to compute.
 */
function hashOf({ recordId, hash }: Candidate): { readonly record: string; readonly form: string } {
  if (hash !== null) return hash;
  throw new AdministrationError(
    `Account ${recordId} was changed by another command during the import. Run the import again.`,
  );
}

async function changeAccount(
  transaction: SqlConnection,
  account: Candidate,
  { changes, nowMs }: { readonly changes: AccountChanges; readonly nowMs: number },
): Promise<readonly LogInEvent[]> {
  const { hash, isEnabled } = changes;
  const { recordId, contactId, userName, foldedName } = account;
  const why = endOf(changes);
  await transaction.run(update, {
    id: recordId,
    contactId,
    userName,
    foldedName,
    isEnabled,
    record: hash ? hashOf(account).record : null,
    form: hash ? hashOf(account).form : null,
    epochs: why === null ? 0 : 1,
  });
  const events: LogInEvent[] = [];
  if (changes.userName || changes.contactId)
    events.push(toEvent("account-changed", account, nowMs));
  if (hash) events.push(toEvent("password-set", account, nowMs));
  if (isEnabled !== null) {
    events.push(toEvent(isEnabled ? "account-enabled" : "account-disabled", account, nowMs));
  }
  // Tickets with the new name may be those of another user, who had it before.
  if (why !== null || changes.userName) await refuseTickets(transaction, { recordId }, nowMs);
  if (why !== null) {
    const ended = await endSessions(transaction, { recordId }, { why, atMs: nowMs });
    const event = eventOf({ atMs: nowMs, name: "session-ended", reason: why });
    events.push(...toEndEvents(ended, event));
  }
  return events;
}

/** Why a change ends sessions, which hold their first contact id; null where they go on. */
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

/** True when the file has news of the account, if only a fingerprint by a newer key. */
function isNews({ account, known, outcome }: Decided): boolean {
  if (outcome.kind === "refused") return false;
  const imported = known?.imported ?? null;
  return (
    outcome.kind !== "unchanged" ||
    imported?.fingerprint !== account.fingerprints[0] ||
    imported.isEnabled !== account.isEnabled
  );
}

function toNote({ account, known, outcome }: Decided, nowMs: number) {
  const isPasswordOurs =
    known?.imported?.isPasswordOurs === true &&
    !(outcome.kind === "changed" && outcome.changes.hash);
  const { recordId, fingerprints, isEnabled } = account;
  return [recordId, fingerprints[0], isEnabled, isPasswordOurs, nowMs];
}

/** Notes that a password was set here, which imports leave alone, within a transaction. */
export async function keepPassword(transaction: SqlConnection, id: bigint): Promise<void> {
  await transaction.run(keepOne, { id });
}

/** Forgets what imports have said, within a transaction; resolves to of how many accounts. */
export function forgetImports(transaction: SqlConnection): Promise<number> {
  return transaction.run(forgetAll, {});
}
