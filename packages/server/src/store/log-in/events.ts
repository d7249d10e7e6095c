import type { LogInEvent } from "../../domain/log-in/audit.ts";
import { firstRow, insertInto, type SqlConnection, statement } from "../sql.ts";

/** Columns of `log_in_events`, each row of which is one line of the audit (decision 0026). */
const columns = {
  at: "int64",
  name: "text",
  reason: "text",
  record_id: "int64",
  session_id: "int64",
  network: "text",
  form_id: "int64",
  application_instance_id: "int64",
  request_id: "text",
  operator: "text",
} as const;

const insert = insertInto("log_in_events", columns);
const findAlarm = statement<{ recordId: bigint; since: number; otherThan: bigint }>(`
  select 1 as found from log_in_events where record_id = :recordId and name = 'token-reused'
    and at >= :since and session_id <> :otherThan limit 1`);
/** An event of which only the given facts are known: alone, what an operator does. */
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
    operator: null,
    ...given,
  };
}

/** Writes events in their order, all of them or none. */
export function insertEvents(
  connection: SqlConnection,
  events: readonly LogInEvent[],
): Promise<void> {
  return connection.insert(
    insert,
    events.map((event) => [
      event.atMs,
      event.name,
      event.reason,
      event.accountId,
      event.sessionId,
      event.network,
      event.formId,
      event.instanceId,
      event.requestId,
      event.operator,
    ]),
  );
}

/** True if a validator of an account's other session came back since a time (UTC ms, inclusive). */
export async function hasAlarm(
  connection: SqlConnection,
  about: { readonly recordId: bigint; readonly otherThan: bigint; readonly sinceMs: number },
): Promise<boolean> {
  const { recordId, otherThan, sinceMs } = about;
  const given = { recordId, otherThan, since: sinceMs };
  return (await firstRow(connection, findAlarm, given)) !== undefined;
}
