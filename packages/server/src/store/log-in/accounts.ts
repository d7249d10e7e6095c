import type { Account } from "../../domain/log-in/accounts/account.ts";
import type { SuccessfulLogIn } from "../../domain/log-in/log-in-store.ts";
import { firstRow, type SqlConnection, statement } from "../sql.ts";

/** Columns of an account. */
export const accountColumns = `record_id as "recordId", contact_id as "contactId", user_name as "userName", hash,
  is_enabled as "isEnabled", epoch`;

const findByName = statement<{ foldedName: string }, Account>(
  `select ${accountColumns} from accounts where folded_name = :foldedName`,
);
const findForms = statement<object, { hash_form: string }>(
  "select distinct hash_form from accounts",
);
/** The account of a folded name. */
export async function findAccount(
  connection: SqlConnection,
  foldedName: string,
): Promise<Account | null> {
  // PostgreSQL has no such text, and would refuse it with an error.
  if (foldedName.includes("\0")) return null;
  return (await firstRow(connection, findByName, { foldedName })) ?? null;
}

/** Forms of all hash records, each once. */
export async function listHashForms(connection: SqlConnection): Promise<readonly string[]> {
  const rows = await connection.rows(findForms, {});
  return rows.map((row) => row.hash_form);
}

/** A log-in on an account that is as the caller knows it. */
interface TimedLogIn {
  readonly recordId: bigint;
  readonly epoch: number;
  /** UTC, milliseconds. */
  readonly now: number;
}

const noteTime = noteAnd<TimedLogIn>("");
// A hash that another log-in replaced meanwhile stays.
const noteHash = noteAnd<TimedLogIn & { from: string; record: string; form: string }>(`,
  hash = case when hash = :from then cast(:record as text) else hash end,
  hash_form = case when hash = :from then cast(:form as text) else hash_form end`);

function noteAnd<Given extends TimedLogIn>(changes: string) {
  return statement<Given, { readonly hash: string }>(`
    update accounts set last_log_in_at = :now ${changes}
    where record_id = :recordId and is_enabled = true and epoch = :epoch returning hash`);
}

/** Notes a log-in and holds the account for the transaction; null if it was disabled or changed. */
export async function noteLogIn(
  transaction: SqlConnection,
  { account, newHash, nowMs }: Pick<SuccessfulLogIn, "account" | "newHash" | "nowMs">,
): Promise<{ readonly isHashReplaced: boolean } | null> {
  const { recordId, hash, epoch } = account;
  const given = { recordId, epoch, now: nowMs };
  const row =
    newHash === null
      ? await firstRow(transaction, noteTime, given)
      : await firstRow(transaction, noteHash, { ...given, ...newHash, from: hash });
  return row === undefined ? null : { isHashReplaced: row.hash === newHash?.record };
}
