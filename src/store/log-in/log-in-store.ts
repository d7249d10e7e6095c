import type { LogInEvent } from "../../domain/log-in/audit.ts";
import type {
  CountedAttempt,
  LogInStore,
  NewAttempt,
  SuccessfulLogIn,
} from "../../domain/log-in/log-in-store.ts";
import type { SessionEnd } from "../../domain/log-in/sessions/session.ts";
import type { Connection, Database } from "../sql.ts";
import { findAccount, listHashForms, noteLogIn } from "./accounts.ts";
import {
  consumeAttempt,
  forgetAttemptsOn,
  giveAttemptBack,
  peekAttempts,
} from "./attempt-counters.ts";
import { eventOf, hasAlarm, insertEvents } from "./events.ts";
import { listForms } from "./forms.ts";
import { exchangeTicket, refuseTickets } from "./legacy-tickets.ts";
import {
  createRotation,
  endExcess,
  endSessions,
  findSession,
  insertSession,
  toEndEvents,
} from "./sessions.ts";

/** Log-ins of a database. */
export function createLogInQueries(database: Database): LogInStore {
  return {
    ...createRotation(database),
    consume: async (key, rule, nowMs) => {
      const counted = await consumeAttempt(database, key, rule, nowMs);
      // Whatever it may say by now, this attempt was not counted.
      return counted ?? { ...(await peekAttempts(database, key, rule, nowMs)), isAllowed: false };
    },
    listHashForms: () => listHashForms(database),
    listForms: () => listForms(database),
    begin: (attempt) => begin(database, attempt),
    complete: (logIn) => database.transaction((transaction) => complete(transaction, logIn)),
    exchange: (exchange) =>
      database.transaction((transaction) => exchangeTicket(transaction, exchange)),
    findSession: (selector) => findSession(database, selector),
    endSessions: (which, why, event) =>
      database.transaction(async (transaction) => {
        await refuseTickets(transaction, which, event.atMs);
        const ended = await endSessions(transaction, which, { why, atMs: event.atMs });
        await insertEvents(transaction, toEndEvents(ended, event));
        return ended.map(({ id }) => id);
      }),
    raiseAlarm: ({ id, recordId }, sinceMs, { alarm, end }) =>
      database.transaction(async (transaction) => {
        const ending = { why: "reused", atMs: end.atMs } as const;
        const ended = [...(await endSessions(transaction, { sessionId: id }, ending))];
        // Another call has raised it: the validator came back more than once.
        if (ended.length === 0) return [];
        if (await hasAlarm(transaction, { recordId, otherThan: id, sinceMs })) {
          ended.push(...(await endSessions(transaction, { recordId }, ending)));
        }
        await insertEvents(transaction, [alarm, ...toEndEvents(ended, end)]);
        return ended.map((session) => session.id);
      }),
    addEvents: (events) => insertEvents(database, events),
  };
}

/** Rolls a transaction back, and keeps its result. */
class RolledBack extends Error {
  readonly result: CountedAttempt;

  constructor(result: CountedAttempt) {
    super("The transaction was rolled back");
    this.result = result;
  }
}

async function begin(database: Database, attempt: NewAttempt): Promise<CountedAttempt> {
  try {
    return await database.transaction((transaction) => countAttempt(transaction, attempt));
  } catch (cause) {
    if (cause instanceof RolledBack) return cause.result;
    throw cause;
  }
}

/**
 * Counts an attempt for account and network, and finds the account. The network comes last, as in `complete`: many share
 * it, and two transactions never wait for each other.
 */
export async function countAttempt(
  transaction: Connection,
  { network, account, foldedUserName, nowMs }: NewAttempt,
): Promise<CountedAttempt> {
  const consume = ({ key, limit }: NewAttempt["network"]) =>
    consumeAttempt(transaction, key, limit, nowMs);
  const peek = async ({ key, limit }: NewAttempt["network"], isAllowed: boolean) =>
    // Whatever it may say by now, this attempt was counted or not.
    ({ ...(await peekAttempts(transaction, key, limit, nowMs)), isAllowed });
  const isCounted = (await consume(account)) !== null;
  // Read in any case: an attempt that is blocked takes as many statements as another (decision 0054).
  const decision = await peek(account, isCounted);
  if ((await consume(network)) === null) {
    throw new RolledBack({ blocked: "network", decision: await peek(network, false) });
  }
  const blocked = isCounted ? null : "account";
  return { blocked, decision, account: await findAccount(transaction, foldedUserName) };
}

/** Few statements, because a log-in holds up others; the network's counter, which many share, comes last. */
async function complete(
  transaction: Connection,
  logIn: SuccessfulLogIn,
): Promise<bigint | null | false> {
  const { account, session, endsSessionId, sessionsMax, nowMs } = logIn;
  const noted = await noteLogIn(transaction, logIn);
  if (noted === null) return false;
  await forgetAttemptsOn(transaction, logIn.accountKey);
  const events: LogInEvent[] = [];
  if (endsSessionId !== null) {
    const which = { sessionId: endsSessionId };
    const ended = await endSessions(transaction, which, { why: "replaced", atMs: nowMs });
    events.push(...toEndEvents(ended, endEvent("replaced", logIn)));
  }
  let sessionId: bigint | null = null;
  if (session !== null) {
    sessionId = await insertSession(transaction, account, session);
    const ending = { why: "too-many", atMs: nowMs } as const;
    const ended = await endExcess(transaction, account.contactId, sessionsMax, ending);
    events.push(...toEndEvents(ended, endEvent("too-many", logIn)));
  }
  for (const event of logIn.events) {
    if (event.name === "hash-upgraded" && !noted.isHashReplaced) continue;
    events.push({ ...event, sessionId });
  }
  await insertEvents(transaction, events);
  await giveAttemptBack(transaction, logIn.networkKey);
  return sessionId;
}

/** A session that ends because of a log-in. */
function endEvent(why: SessionEnd, { events, nowMs }: SuccessfulLogIn): LogInEvent {
  return eventOf({ ...events[0], atMs: nowMs, name: "session-ended", reason: why });
}
