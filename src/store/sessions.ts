import { type Kysely, type Selectable, sql } from "kysely";
import type { Account } from "../domain/log-in/account.ts";
import type { LogInEvent } from "../domain/log-in/log-in-event.ts";
import type { NewSession, Session, SessionEnd } from "../domain/log-in/session.ts";
import type { SessionRow } from "./log-in-schema.ts";
import type { Tables } from "./schema.ts";

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
  const now = BigInt(nowMs);
  return sql<boolean>`(sessions.ended_at is null
    and sessions.idle_until > ${now} and sessions.absolute_until > ${now})`;
}

/** Begins a session of an account; resolves to its id. */
export async function insertSession(
  database: Kysely<Tables>,
  { recordId, contactId, epoch }: Account,
  session: NewSession,
): Promise<bigint> {
  const createdAt = BigInt(session.createdAtMs);
  const { id } = await database
    .insertInto("sessions")
    .values({
      selector: session.selector,
      record_id: recordId,
      contact_id: contactId,
      application_instance_id: session.instanceId,
      origin: session.origin,
      remembering: session.remembering,
      browser: session.browser,
      generation: 0n,
      current_hash: session.current,
      retired_hashes: "",
      created_at: createdAt,
      rotated_at: createdAt,
      used_at: createdAt,
      idle_until: BigInt(session.idleUntilMs),
      absolute_until: BigInt(session.absoluteUntilMs),
      epoch: BigInt(epoch),
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

/** Ends those that have not ended. */
export async function endSessions(
  database: Kysely<Tables>,
  which: SessionChoice,
  ending: Ending,
): Promise<readonly EndedSession[]> {
  const ended = await choose(endThose(database, ending), which).execute();
  return ended.map((row) => ({ id: row.id, recordId: row.record_id }));
}

/** Ends the oldest sessions of a contact beyond so many that are live. */
export async function endSurplus(
  database: Kysely<Tables>,
  contactId: bigint,
  sessionsMax: number,
  ending: Ending,
): Promise<readonly EndedSession[]> {
  const ended = await endThose(database, ending)
    .where("id", "in", (surplus) =>
      surplus
        .selectFrom("sessions")
        .select("id")
        .where("contact_id", "=", contactId)
        .where(isLive(ending.atMs))
        .orderBy("created_at", "desc")
        .orderBy("id", "desc")
        .limit(surplusMax)
        .offset(sessionsMax),
    )
    .execute();
  return ended.map((row) => ({ id: row.id, recordId: row.record_id }));
}

/** What is told of sessions that have been ended: the same of each. */
export function toEndEvents(
  ended: readonly EndedSession[],
  event: LogInEvent,
): readonly LogInEvent[] {
  return ended.map(({ id, recordId }) => ({ ...event, sessionId: id, accountId: recordId }));
}

/** The box is of no more use; digests stay for people who look into what happened. */
function endThose(database: Kysely<Tables>, { why, atMs }: Ending) {
  return database
    .updateTable("sessions")
    .set({ ended_at: BigInt(atMs), end_reason: why, pending_box: null })
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
    generation: Number(row.generation),
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
