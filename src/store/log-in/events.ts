import type { Kysely } from "kysely";
import type { EventFilter } from "../../domain/log-in/accounts/administration.ts";
import type { LogInEvent } from "../../domain/log-in/audit.ts";
import { keepQuery } from "../kept-query.ts";
import type { Tables } from "../migrations/tables.ts";

/** Rows of one statement: 900 parameters, where SQLite takes 32,766 and PostgreSQL 65,535. */
const chunkRows = 100;

/** An event of which only that is known which is given: alone, what an operator does. */
export function eventOf(
  given: Pick<LogInEvent, "atMs" | "name"> & Partial<LogInEvent>,
): LogInEvent {
  return {
    reason: null,
    accountId: null,
    sessionId: null,
    network: null,
    formId: null,
    instanceId: null,
    requestId: null,
    ...given,
  };
}

/** Writes events in their order. */
export async function insertEvents(
  database: Kysely<Tables>,
  events: readonly LogInEvent[],
): Promise<void> {
  const [only] = events;
  if (only !== undefined && events.length === 1) {
    await insertOne(database, toRow(only));
    return;
  }
  for (let first = 0; first < events.length; first += chunkRows) {
    const chunk = events.slice(first, first + chunkRows);
    await database.insertInto("log_in_events").values(chunk.map(toRow)).execute();
  }
}

const insertOne = keepQuery((database, given: ReturnType<typeof toRow>) =>
  database
    .insertInto("log_in_events")
    .values({
      at: given.at,
      name: given.name,
      reason: given.reason,
      record_id: given.record_id,
      session_id: given.session_id,
      network: given.network,
      form_id: given.form_id,
      application_instance_id: given.application_instance_id,
      request_id: given.request_id,
    })
    .compile(),
);

function toRow(event: LogInEvent) {
  return {
    at: BigInt(event.atMs),
    name: event.name,
    reason: event.reason,
    record_id: event.accountId,
    session_id: event.sessionId,
    network: event.network,
    form_id: event.formId,
    application_instance_id: event.instanceId,
    request_id: event.requestId,
  };
}

/** Whether a validator of another session of an account came back since a time (UTC, milliseconds; inclusive). */
export async function hasAlarm(
  database: Kysely<Tables>,
  about: { readonly recordId: bigint; readonly otherThan: bigint; readonly sinceMs: number },
): Promise<boolean> {
  const row = await database
    .selectFrom("log_in_events")
    .select("id")
    .where("record_id", "=", about.recordId)
    .where("name", "=", "token-reused")
    .where("at", ">=", BigInt(about.sinceMs))
    .where("session_id", "!=", about.otherThan)
    .executeTakeFirst();
  return row !== undefined;
}

/** The latest events that pass the filter, the latest last. */
export async function listEvents(
  database: Kysely<Tables>,
  { recordId, fromMs, max }: EventFilter,
): Promise<readonly (LogInEvent & { readonly id: bigint })[]> {
  const rows = await database
    .selectFrom("log_in_events")
    .selectAll()
    .$if(recordId !== null, (some) => some.where("record_id", "=", recordId))
    .$if(fromMs !== null, (some) => some.where("at", ">=", BigInt(fromMs ?? 0)))
    .orderBy("at", "desc")
    .orderBy("id", "desc")
    .limit(max)
    .execute();
  return rows.reverse().map((row) => ({
    id: row.id,
    atMs: Number(row.at),
    name: row.name,
    reason: row.reason,
    accountId: row.record_id,
    sessionId: row.session_id,
    network: row.network,
    formId: row.form_id,
    instanceId: row.application_instance_id,
    requestId: row.request_id,
  }));
}
