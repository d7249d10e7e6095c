import { foldUserName } from "@wfh/server/domain/log-in/accounts/account.ts";
import { AdministrationError } from "@wfh/server/domain/log-in/accounts/administration.ts";
import type { LogInEvent } from "@wfh/server/domain/log-in/audit.ts";
import type {
  CountedAttempt,
  NewAttempt,
  SuccessfulLogIn,
} from "@wfh/server/domain/log-in/log-in-store.ts";
import { forgetAttempts, giveAttemptBack } from "@wfh/server/store/log-in/attempt-counters.ts";
import { eventOf, insertEvents } from "@wfh/server/store/log-in/events.ts";
import { beginAttempt } from "@wfh/server/store/log-in/log-in-queries.ts";
import { type Database, firstRow, type SqlConnection, statement } from "@wfh/server/store/sql.ts";
import {
  formatForms,
  type ListedOperator,
  type Operator,
  type OperatorAccount,
  operatorSessionsMax,
  parseForms,
  sessionTimes,
} from "./operator.ts";

/** An operator to add. */
export interface NewOperator extends Omit<Operator, "id"> {
  /** null where only an authenticating proxy logs in. */
  readonly hash: SuccessfulLogIn["newHash"];
}

/** A log-in whose password was right, as that of a visitor. */
export interface SuccessfulOperatorLogIn
  extends Pick<SuccessfulLogIn, "newHash" | "accountKey" | "networkKey" | "nowMs"> {
  readonly operator: OperatorAccount;
  /** Digest of the token of the new session. */
  readonly tokenHash: string;
  /** Digest of the token that the caller came with, whose session ends; null without one. */
  readonly oldTokenHash: string | null;
  readonly event: LogInEvent;
}

type OperatorRow = Omit<Operator, "forms"> & { readonly formIds: string | null };

const columns = 'operators.id, operators.name, operators.role, operators.form_ids as "formIds"';
/** Condition of sessions that have neither ended nor run out at the parameter `:at`. */
const isLive = `(session.ends_at > cast(:at as bigint)
  and session.used_at > cast(:at as bigint) - ${sessionTimes.idleMs})`;

const insert = statement<{
  name: string;
  foldedName: string;
  record: string | null;
  form: string | null;
  role: string;
  formIds: string | null;
  at: number;
}>(`
  insert into operators (name, folded_name, hash, hash_form, role, form_ids, epoch, created_at)
  values (:name, :foldedName, cast(:record as text), cast(:form as text), :role,
    cast(:formIds as text), 0, :at)
  on conflict (folded_name) do nothing`);
const findByName = statement<
  { foldedName: string },
  OperatorRow & Pick<OperatorAccount, "epoch" | "lastLogInAtMs"> & { hash: string | null }
>(`
  select ${columns}, hash, epoch, last_log_in_at as "lastLogInAtMs"
  from operators where folded_name = :foldedName`);
const findAll = statement<{ at: number }, OperatorRow & Omit<ListedOperator, keyof Operator>>(`
  select ${columns}, hash is not null as "isPasswordSet",
    operators.created_at as "createdAtMs", last_log_in_at as "lastLogInAtMs",
    (select count(*) from operator_sessions as session
      where operator_id = operators.id and ${isLive}) as sessions
  from operators order by folded_name`);
const findHashForms = statement<object, { form: string }>(
  "select distinct hash_form as form from operators where hash_form is not null",
);
const setHash = statement<{ id: bigint; record: string; form: string }>(
  "update operators set hash = :record, hash_form = :form, epoch = epoch + 1 where id = :id",
);
// First holds the operator for the transaction: a log-in that has begun comes before or fails.
const countUp = statement<{ id: bigint }>("update operators set epoch = epoch + 1 where id = :id");
const deleteSessions = statement<{ id: bigint }>(
  "delete from operator_sessions where operator_id = :id",
);
const deleteOperator = statement<{ id: bigint }>("delete from operators where id = :id");

const noteLogInByProxy = statement<{ id: bigint; at: number; before: number }>(
  `update operators set last_log_in_at = :at
    where id = :id and (last_log_in_at is null or last_log_in_at <= :before)`,
);
const noteLogIn = statement<{
  id: bigint;
  epoch: number;
  now: number;
  record: string | null;
  form: string | null;
}>(`
  update operators set last_log_in_at = :now, hash = coalesce(cast(:record as text), hash),
    hash_form = coalesce(cast(:form as text), hash_form)
  where id = :id and epoch = :epoch`);
const deleteOld = statement<{ old: string | null; at: number }>(`
  delete from operator_sessions where token_hash in (
    select token_hash from operator_sessions as session
    where token_hash = cast(:old as text) or not ${isLive})`);
const deleteExcess = statement<{ id: bigint }>(`
  delete from operator_sessions where token_hash in (
    select token_hash from operator_sessions where operator_id = :id
    order by created_at desc, token_hash limit 100 offset ${operatorSessionsMax})`);
const insertSession = statement<{ tokenHash: string; id: bigint; at: number }>(`
  insert into operator_sessions (token_hash, operator_id, created_at, used_at, ends_at)
  values (:tokenHash, :id, :at, :at, cast(:at as bigint) + ${sessionTimes.lifetimeMs})`);
const findSession = statement<
  { tokenHash: string; at: number },
  OperatorRow & { usedAtMs: number }
>(
  `select ${columns}, used_at as "usedAtMs" from operator_sessions as session
    join operators on operators.id = operator_id
    where token_hash = :tokenHash and ${isLive}`,
);
const noteUse = statement<{ tokenHash: string; at: number }>(
  "update operator_sessions set used_at = :at where token_hash = :tokenHash and used_at < :at",
);
const deleteSession = statement<{ tokenHash: string }>(
  "delete from operator_sessions where token_hash = :tokenHash",
);

/** Operators and their sessions. Changes write their events in the same transaction. */
export class OperatorQueries {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** @throws {AdministrationError} when there is an operator of that name already. */
  add({ name, role, forms, hash }: NewOperator, nowMs: number): Promise<void> {
    return this.#change(async (transaction) => {
      const added = await transaction.run(insert, {
        name,
        role,
        foldedName: foldUserName(name),
        record: hash?.record ?? null,
        form: hash?.form ?? null,
        formIds: formatForms(forms),
        at: nowMs,
      });
      if (added === 0) throw new AdministrationError(`There is an operator ${name} already`);
      await insertEvents(transaction, [operatorEvent("operator-added", name, nowMs)]);
    });
  }

  /** All operators, by their names. */
  async list(nowMs: number): Promise<readonly ListedOperator[]> {
    const rows = await this.#database.rows(findAll, { at: nowMs });
    return rows.map(toOperator);
  }

  /** The operator of a name in any spelling; null for an unknown one. */
  find(name: string): Promise<OperatorAccount | null> {
    return findOperator(this.#database, foldUserName(name));
  }

  /** Sets the password, ends all sessions and forgets the attempts under `keys`. */
  setPassword(
    { id, name }: Pick<Operator, "id" | "name">,
    hash: NonNullable<NewOperator["hash"]>,
    keys: readonly string[],
    nowMs: number,
  ): Promise<void> {
    return this.#change(async (transaction) => {
      await transaction.run(setHash, { id, ...hash });
      await transaction.run(deleteSessions, { id });
      await forgetAttempts(transaction, keys);
      await insertEvents(transaction, [operatorEvent("operator-password-set", name, nowMs)]);
    });
  }

  /** Removes an operator, the sessions and the attempts under `keys`. */
  remove(
    { id, name }: Pick<Operator, "id" | "name">,
    keys: readonly string[],
    nowMs: number,
  ): Promise<void> {
    return this.#change(async (transaction) => {
      await transaction.run(countUp, { id });
      await transaction.run(deleteSessions, { id });
      await transaction.run(deleteOperator, { id });
      await forgetAttempts(transaction, keys);
      await insertEvents(transaction, [operatorEvent("operator-removed", name, nowMs)]);
    });
  }

  /** Distinct forms of the hash records of all operators. */
  async listHashForms(): Promise<readonly string[]> {
    return (await this.#database.rows(findHashForms, {})).map(({ form }) => form);
  }

  /** Counts an attempt before it is made, for network and name, and finds the operator. */
  begin(attempt: NewAttempt): Promise<CountedAttempt<OperatorAccount>> {
    return beginAttempt(this.#database, attempt, findOperator);
  }

  /** Writes a log-in by a proxy. Resolves to false when another request of it has done so. */
  noteLogInByProxy(id: bigint, event: LogInEvent): Promise<boolean> {
    const { atMs: at } = event;
    return this.#database.transaction(async (transaction) => {
      const given = { id, at, before: at - sessionTimes.lifetimeMs };
      if ((await transaction.run(noteLogInByProxy, given)) === 0) return false;
      await insertEvents(transaction, [event]);
      return true;
    });
  }

  /** Writes a log-in. Resolves to false when the operator was changed or removed meanwhile. */
  complete(logIn: SuccessfulOperatorLogIn): Promise<boolean> {
    const { operator, newHash, tokenHash, oldTokenHash, accountKey, networkKey, event } = logIn;
    const { id, epoch } = operator;
    const { nowMs: at } = logIn;
    const hash = { record: newHash?.record ?? null, form: newHash?.form ?? null };
    return this.#database.transaction(async (transaction) => {
      if ((await transaction.run(noteLogIn, { id, epoch, now: at, ...hash })) === 0) return false;
      await forgetAttempts(transaction, [accountKey]);
      await transaction.run(deleteOld, { old: oldTokenHash, at });
      await transaction.run(insertSession, { tokenHash, id, at });
      await transaction.run(deleteExcess, { id });
      await insertEvents(transaction, [event]);
      // Last, because many share it.
      await giveAttemptBack(transaction, networkKey);
      return true;
    });
  }

  /**
   * The operator of a session that has not ended; null without one.
   *
   * @param isUse true to note its use, so that it does not end as an idle one.
   */
  async findBySession(tokenHash: string, nowMs: number, isUse: boolean): Promise<Operator | null> {
    const given = { tokenHash, at: nowMs };
    const row = await firstRow(this.#database, findSession, given);
    if (row === undefined) return null;
    if (isUse && nowMs - row.usedAtMs >= sessionTimes.noteMs) {
      // A database that is locked for writes can be read all the same.
      await this.#database.run(noteUse, given).catch(() => {});
    }
    return toOperator(row);
  }

  /** Ends a session; false where it had ended. */
  async endSession(tokenHash: string): Promise<boolean> {
    return (await this.#database.run(deleteSession, { tokenHash })) > 0;
  }

  #change<Result>(work: (transaction: SqlConnection) => Promise<Result>): Promise<Result> {
    return this.#database.transaction(work, { locksAdministration: true });
  }
}

async function findOperator(
  connection: SqlConnection,
  foldedName: string,
): Promise<OperatorAccount | null> {
  // PostgreSQL has no such text, and would refuse it with an error.
  if (foldedName.includes("\0")) return null;
  const row = await firstRow(connection, findByName, { foldedName });
  if (row === undefined) return null;
  const { hash } = row;
  return { ...toOperator(row), hash: hash ?? "", isEnabled: hash !== null };
}

function toOperator<Row extends OperatorRow>({ formIds, ...row }: Row) {
  return { ...row, forms: parseForms(formIds) };
}

function operatorEvent(name: LogInEvent["name"], operator: string, atMs: number): LogInEvent {
  return eventOf({ atMs, name, operator });
}
