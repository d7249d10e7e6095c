import type { Account } from "../../domain/log-in/accounts/account.ts";
import type { LogInEvent } from "../../domain/log-in/audit.ts";
import type { NewSession, Session, SessionEnd } from "../../domain/log-in/sessions/session.ts";
import { firstRow, type SqlConnection, statement } from "../sql.ts";

/** Most sessions that one log-in ends because there are too many. */
const excessMax = 1_000;

/** Which sessions are meant. */
export type SessionChoice =
  | { readonly sessionId: bigint }
  | { readonly recordId: bigint }
  /** Those of an instance, and those that may still become its own. */
  | { readonly instanceId: bigint }
  /** Only those that are the instance's own. */
  | { readonly boundTo: bigint }
  | "all";

/** A session that has been ended. */
export interface EndedSession {
  readonly id: bigint;
  readonly recordId: bigint;
}

/** Reason and time of an end of sessions. */
export interface Ending {
  readonly why: SessionEnd;
  /** UTC, milliseconds. */
  readonly atMs: number;
}

/** A row of `sessions` with its account (decision 0024). Digests are SHA-256 in base64url. */
export type SessionRow = Omit<Session, "retired"> & {
  /** Separated by blanks, the latest first. */
  readonly retired: string;
};

/** Condition of sessions that have neither ended nor run out at the parameter `:at`. */
export const isLive =
  "(sessions.ended_at is null and sessions.idle_until > :at and sessions.absolute_until > :at)";

/** The start of a statement that reads sessions. */
export const selectSessions = `
  select sessions.id, selector, sessions.record_id as "recordId", sessions.contact_id as "contactId",
    application_instance_id as "instanceId", origin, remembering, browser, generation as rotations,
    current_hash as current, previous_hash as previous, previous_until as "previousUntilMs",
    pending_hash as pending, pending_box as "pendingBox", retired_hashes as retired,
    sessions.created_at as "createdAtMs", rotated_at as "rotatedAtMs", used_at as "usedAtMs",
    idle_until as "idleUntilMs", absolute_until as "absoluteUntilMs", ended_at as "endedAtMs",
    is_enabled and accounts.epoch = sessions.epoch as "isAccountGood", folded_name as "foldedUserName"
  from sessions join accounts on accounts.record_id = sessions.record_id`;

const findBySelector = statement<{ selector: string }, SessionRow>(
  `${selectSessions} where selector = :selector`,
);
/** The session of a selector; null when it does not exist. */
export async function findSession(
  connection: SqlConnection,
  selector: string,
): Promise<Session | null> {
  const row = await firstRow(connection, findBySelector, { selector });
  return row === undefined ? null : toSession(row);
}

const insert = statement<
  NewSession & Pick<Account, "recordId" | "contactId" | "epoch">,
  { readonly id: bigint }
>(`
  insert into sessions (selector, record_id, contact_id, application_instance_id, origin, remembering, browser,
    generation, current_hash, retired_hashes, created_at, rotated_at, used_at, idle_until, absolute_until, epoch)
  values (:selector, :recordId, :contactId, :instanceId, :origin, :remembering, :browser,
    0, :current, '', :createdAtMs, :createdAtMs, :createdAtMs, :idleUntilMs, :absoluteUntilMs, :epoch)
  returning id`);

/** Begins a session of an account; resolves to its id. */
export async function insertSession(
  transaction: SqlConnection,
  { recordId, contactId, epoch }: Account,
  session: NewSession,
): Promise<bigint> {
  const row = await firstRow(transaction, insert, { ...session, recordId, contactId, epoch });
  if (row === undefined) throw new Error("The new session has no id");
  return row.id;
}

/** The box is of no more use; digests stay for operators who look into what happened. */
function endWhere<Given extends object>(condition: string) {
  return statement<Given & { why: SessionEnd; at: number }, { id: bigint; record_id: bigint }>(`
    update sessions set ended_at = :at, end_reason = :why, pending_box = null
    where ended_at is null ${condition} returning id, record_id`);
}

const endAll = endWhere("");
const endOne = endWhere<{ sessionId: bigint }>("and id = :sessionId");
const endOfAccount = endWhere<{ recordId: bigint }>("and record_id = :recordId");
const endBound = endWhere<{ boundTo: bigint }>("and application_instance_id = :boundTo");
// A session that is not bound yet may become the instance's, if one of its forms lists the origin.
const endOfInstance = endWhere<{ instanceId: bigint }>(`
  and (application_instance_id = :instanceId or (application_instance_id is null and (origin is null
    or origin in (select form_origins.origin from form_origins join forms on forms.id = form_id
      where forms.application_instance_id = :instanceId))))`);
const endOldest = endWhere<{ contactId: bigint; sessionsMax: number }>(`
  and id in (select id from sessions where contact_id = :contactId and ${isLive}
    order by created_at desc, id desc limit ${excessMax} offset :sessionsMax)`);

/** Ends those that have not ended. */
export async function endSessions(
  connection: SqlConnection,
  which: SessionChoice,
  { why, atMs }: Ending,
): Promise<readonly EndedSession[]> {
  const given = { why, at: atMs };
  return toEnded(await end());
  function end() {
    if (which === "all") return connection.rows(endAll, given);
    if ("sessionId" in which) return connection.rows(endOne, { ...given, ...which });
    if ("recordId" in which) return connection.rows(endOfAccount, { ...given, ...which });
    if ("boundTo" in which) return connection.rows(endBound, { ...given, ...which });
    return connection.rows(endOfInstance, { ...given, ...which });
  }
}

/** Ends the oldest sessions of a contact beyond so many that are live. */
export async function endExcess(
  transaction: SqlConnection,
  contactId: bigint,
  sessionsMax: number,
  { why, atMs }: Ending,
): Promise<readonly EndedSession[]> {
  const given = { contactId, sessionsMax, why, at: atMs };
  return toEnded(await transaction.rows(endOldest, given));
}

function toEnded(
  rows: readonly { readonly id: bigint; readonly record_id: bigint }[],
): readonly EndedSession[] {
  return rows.map((row) => ({ id: row.id, recordId: row.record_id }));
}

/** One event for each session that has been ended. */
export function toEndEvents(
  ended: readonly EndedSession[],
  event: LogInEvent,
): readonly LogInEvent[] {
  return ended.map(({ id, recordId }) => ({ ...event, sessionId: id, accountId: recordId }));
}

/** The session of a row. */
export function toSession(row: SessionRow): Session {
  return { ...row, retired: row.retired === "" ? [] : row.retired.split(" ") };
}
