import { type LogInStore, LogInUnavailableError } from "../../domain/log-in/log-in-store.ts";
import type { Connections } from "../migrations/dialect.ts";
import { listHashForms } from "./accounts.ts";
import { lookAtAttempts, reserveAttempt } from "./attempt-counters.ts";
import { hasAlarm, insertEvents } from "./events.ts";
import { listForms } from "./forms.ts";
import { createSessionRotation } from "./session-rotation.ts";
import { endSessions, selectSessions, toEndEvents, toSession } from "./sessions.ts";

/**
 * Log-ins in the database; what the database refuses becomes a {LogInUnavailableError}, and so does everything before
 * it has been opened.
 */
export function createLogInStore(
  { writing, reading, transact }: Pick<Connections, "writing" | "reading" | "transact">,
  isOpen: () => boolean,
): LogInStore {
  const rotation = createSessionRotation(writing);
  const orUnavailable = async <Result>(ask: () => Promise<Result>): Promise<Result> => {
    try {
      if (!isOpen()) throw new Error("The database has not been opened yet");
      return await ask();
    } catch (cause) {
      throw new LogInUnavailableError(cause);
    }
  };
  return {
    consume: (key, rule, nowMs) =>
      orUnavailable(async () => {
        const reserved = await reserveAttempt(writing, key, rule, nowMs);
        if (reserved !== null) return reserved;
        // Whatever it may say by now, this attempt was not counted.
        return { ...(await lookAtAttempts(reading, key, rule, nowMs)), isAllowed: false };
      }),
    listHashForms: () => orUnavailable(() => listHashForms(reading)),
    listForms: () => orUnavailable(() => listForms(reading)),
    begin: (attempt) => orUnavailable(() => transact("begin", attempt)),
    complete: (logIn) => orUnavailable(() => transact("complete", logIn)),
    findSession: (selector) =>
      orUnavailable(async () => {
        const row = await selectSessions(reading)
          .where("selector", "=", selector)
          .executeTakeFirst();
        return row === undefined ? null : toSession(row);
      }),
    bindInstance: (...given) => orUnavailable(() => rotation.bindInstance(...given)),
    offer: (...given) => orUnavailable(() => rotation.offer(...given)),
    promote: (...given) => orUnavailable(() => rotation.promote(...given)),
    endSessions: (which, why, event) =>
      orUnavailable(() =>
        writing.transaction().execute(async (transaction) => {
          const ended = await endSessions(transaction, which, { why, atMs: event.atMs });
          await insertEvents(transaction, toEndEvents(ended, event));
          return ended.map(({ id }) => id);
        }),
      ),
    raiseAlarm: ({ id, recordId }, sinceMs, { alarm, end }) =>
      orUnavailable(() =>
        writing.transaction().execute(async (transaction) => {
          const ending = { why: "reused", atMs: end.atMs } as const;
          const ended = [...(await endSessions(transaction, { sessionId: id }, ending))];
          // Somebody else has raised it: the validator came back more than once.
          if (ended.length === 0) return [];
          if (await hasAlarm(transaction, { recordId, otherThan: id, sinceMs })) {
            ended.push(...(await endSessions(transaction, { recordId }, ending)));
          }
          await insertEvents(transaction, [alarm, ...toEndEvents(ended, end)]);
          return ended.map((session) => session.id);
        }),
      ),
    addEvents: (events) => orUnavailable(() => transact("note", events)),
  };
}
