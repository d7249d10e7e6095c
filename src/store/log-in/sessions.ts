import { type Kysely, type Selectable, sql } from "kysely";
import type { Account } from "../../domain/log-in/accounts/account.ts";
import type { LogInEvent } from "../../domain/log-in/audit.ts";
import type { NewSession, Session, SessionEnd } from "../../domain/log-in/sessions/session.ts";
import { keepQuery } from "../kept-query.ts";
import type { SessionRow } from "../log-in-schema.ts";
import type { Tables } from "../migrations/tables.ts";

/** Most sessions that one log-in ends because there are too many. */
const surplusMax = 1_000;

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

/** How sessions end. */
export interface Ending {
  readonly why: SessionEnd;
  /** UTC, milliseconds. */
  readonly atMs: number;
}

/** True of sessions that have neither ended nor run out. */
export function isLive(nowMs: number) {
  return isLiveAt(BigInt(nowMs));
}

function isLiveAt(now: bigint) {
  return sql<boolean>`(sessions.ended_at is null
    and sessions.idle_until > ${now} and sessions.absolute_until > ${now})`;
}

/** Begins a session of an account; resolves to its id. */
export async function insertSession(
  database: Kysely<Tables>,
  { recordId, contactId, epoch }: Account,
  session: NewSession,
): Promise<bigint> {
  const { rows } = await insertNew(database, {
    ...session,
    recordId,
    contactId,
    createdAt: BigInt(session.createdAtMs),
    idleUntil: BigInt(session.idleUntilMs),
    absoluteUntil: BigInt(session.absoluteUntilMs),
    epoch: BigInt(epoch),
  });
  const [row] = rows;
  if (row === undefined) throw new Error("The new session has no id");
  return row.id;
}

/** A session as its row begins; times are UTC in milliseconds. */
interface NewRow extends NewSession, Pick<Account, "recordId" | "contactId"> {
  readonly createdAt: bigint;
  readonly idleUntil: bigint;
  readonly absoluteUntil: bigint;
  readonly epoch: bigint;
}

const insertNew = keepQuery((database, given: NewRow) =>
  database
    .insertInto("sessions")
    .values({
      selector: given.selector,
      record_id: given.recordId,
      contact_id: given.contactId,
      application_instance_id: given.instanceId,
      origin: given.origin,
      remembering: given.remembering,
      browser: given.browser,
      generation: 0n,
      current_hash: given.current,
      retired_hashes: "",
      created_at: given.createdAt,
      rotated_at: given.createdAt,
      used_at: given.createdAt,
      idle_until: given.idleUntil,
      absolute_until: given.absoluteUntil,
      epoch: given.epoch,
    })
    .returning("id")
    .compile(),
);

/** Ends those that have not ended. */
export async function endSessions(
  database: Kysely<Tables>,
  which: SessionChoice,
  ending: Ending,
): Promise<readonly EndedSession[]> {
  const at = BigInt(ending.atMs);
  const ended = await choose(endThose(database, { why: ending.why, at }), which).execute();
  return ended.map((row) => ({ id: row.id, recordId: row.record_id }));
}

/** Ends the oldest sessions of a contact beyond so many that are live. */
export async function endSurplus(
  database: Kysely<Tables>,
  contactId: bigint,
  sessionsMax: number,
  ending: Ending,
): Promise<readonly EndedSession[]> {
  const given = { contactId, sessionsMax: BigInt(sessionsMax), at: BigInt(ending.atMs) };
  const { rows } = await endOldest(database, { ...given, why: ending.why });
  return rows.map((row) => ({ id: row.id, recordId: row.record_id }));
}

/** Whose sessions are too many, from what number on. */
interface Surplus {
  readonly contactId: bigint;
  readonly sessionsMax: bigint;
  readonly why: SessionEnd;
  /** UTC, milliseconds. */
  readonly at: bigint;
}

const endOldest = keepQuery((database, given: Surplus) =>
  endThose(database, given)
    .where("id", "in", (surplus) =>
      surplus
        .selectFrom("sessions")
        .select("id")
        .where("contact_id", "=", given.contactId)
        .where(isLiveAt(given.at))
        .orderBy("created_at", "desc")
        .orderBy("id", "desc")
        .limit(surplusMax)
        .offset(given.sessionsMax),
    )
    .compile(),
);

/** What is told of sessions that have been ended: the same of each. */
export function toEndEvents(
  ended: readonly EndedSession[],
  event: LogInEvent,
): readonly LogInEvent[] {
  return ended.map(({ id, recordId }) => ({ ...event, sessionId: id, accountId: recordId }));
}

/** The box is of no more use; digests stay for people who look into what happened. */
function endThose(database: Kysely<Tables>, { why, at }: Pick<Surplus, "why" | "at">) {
  return database
    .updateTable("sessions")
    .set({ ended_at: at, end_reason: why, pending_box: null })
    .where("ended_at", "is", null)
    .returning(["id", "record_id"]);
}

function choose(ending: ReturnType<typeof endThose>, which: SessionChoice) {
  if (which === "all") return ending;
  if ("sessionId" in which) return ending.where("id", "=", which.sessionId);
  if ("recordId" in which) return ending.where("record_id", "=", which.recordId);
  if ("boundTo" in which) return ending.where("application_instance_id", "=", which.boundTo);
  const { instanceId } = which;
  // One that is not bound yet may become the instance's, if one of its forms lists the origin.
  return ending.where(({ and, eb, or, selectFrom }) =>
    or([
      eb("application_instance_id", "=", instanceId),
      and([
        eb("application_instance_id", "is", null),
        or([
          eb("origin", "is", null),
          eb(
            "origin",
            "in",
            selectFrom("form_origins")
              .innerJoin("forms", "forms.id", "form_origins.form_id")
              .select("form_origins.origin")
              .where("forms.application_instance_id", "=", instanceId),
          ),
        ]),
      ]),
    ]),
  );
}

/** Sessions with what their account says of them. */
export function selectSessions(database: Kysely<Tables>) {
  return database
    .selectFrom("sessions")
    .innerJoin("accounts", "accounts.record_id", "sessions.record_id")
    .selectAll("sessions")
    .select(["accounts.is_enabled", "accounts.epoch as account_epoch", "accounts.folded_name"]);
}

/** A row of `selectSessions`. */
interface JoinedRow extends Selectable<SessionRow> {
  readonly is_enabled: boolean | bigint;
  readonly account_epoch: bigint;
  readonly folded_name: string;
}

/** The session of a row of `selectSessions`. */
export function toSession(row: JoinedRow): Session {
  return {
    id: row.id,
    selector: row.selector,
    recordId: row.record_id,
    contactId: row.contact_id,
    instanceId: row.application_instance_id,
    origin: row.origin,
    remembering: row.remembering,
    browser: row.browser,
    rotations: Number(row.generation),
    current: row.current_hash,
    previous: row.previous_hash,
    previousUntilMs: toMs(row.previous_until),
    pending: row.pending_hash,
    pendingBox: row.pending_box,
    retired: row.retired_hashes === "" ? [] : row.retired_hashes.split(" "),
    createdAtMs: Number(row.created_at),
    rotatedAtMs: Number(row.rotated_at),
    usedAtMs: Number(row.used_at),
    idleUntilMs: Number(row.idle_until),
    absoluteUntilMs: Number(row.absolute_until),
    endedAtMs: toMs(row.ended_at),
    isAccountGood: Boolean(row.is_enabled) && row.account_epoch === row.epoch,
    foldedUserName: row.folded_name,
  };
}

function toMs(value: bigint | null): number | null {
  return value === null ? null : Number(value);
}
