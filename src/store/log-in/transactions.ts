import type { Kysely } from "kysely";
import type { LogInEvent } from "../../domain/log-in/audit.ts";
import type {
  CountedAttempt,
  NewAttempt,
  SuccessfulLogIn,
} from "../../domain/log-in/log-in-store.ts";
import type { SessionEnd } from "../../domain/log-in/sessions/session.ts";
import type { Tables } from "../migrations/tables.ts";
import { findAccount, noteLogIn } from "./accounts.ts";
import {
  forgetAttemptsOn,
  giveAttemptBack,
  lookAtAttempts,
  reserveAttempt,
} from "./attempt-counters.ts";
import { eventOf, insertEvents } from "./events.ts";
import { endSessions, endSurplus, insertSession, toEndEvents } from "./sessions.ts";

/**
 * What every log-in does, each whole or not at all. They are named, so that they can run where the
 * database is: a SQLite file has a thread, and each message to it costs as much as a statement.
 */
const transactions = { begin, complete, note };

/** Name of a transaction. */
export type TransactionName = keyof typeof transactions;
/** What a transaction is told. */
export type TransactionInput<Name extends TransactionName> = Parameters<
  (typeof transactions)[Name]
>[1];
/** What a transaction gives. */
export type TransactionResult<Name extends TransactionName> = Awaited<
  ReturnType<(typeof transactions)[Name]>
>;

/** Runs work so that all of it stays, or nothing where it throws. */
export type Enclose = <Result>(
  work: (transaction: Kysely<Tables>) => Promise<Result>,
) => Promise<Result>;

/** Ends a transaction so that nothing of it stays, with a result all the same. */
class Undone<Result> extends Error {
  readonly result: Result;

  constructor(result: Result) {
    super("The transaction is undone");
    this.result = result;
  }
}

/** Runs a transaction by its name. */
export async function runTransaction<Name extends TransactionName>(
  enclose: Enclose,
  name: Name,
  input: TransactionInput<Name>,
): Promise<TransactionResult<Name>> {
  // The compiler does not see that name and input belong together.
  const run = transactions[name] as (
    transaction: Kysely<Tables>,
    input: TransactionInput<Name>,
  ) => Promise<TransactionResult<Name>>;
  try {
    return await enclose((transaction) => run(transaction, input));
  } catch (cause) {
    if (cause instanceof Undone) return cause.result;
    throw cause;
  }
}

/** The network comes last, as in `complete`: many share it, and two transactions never wait for each other. */
async function begin(
  transaction: Kysely<Tables>,
  { network, account, foldedUserName, nowMs }: NewAttempt,
): Promise<CountedAttempt> {
  const reserve = ({ key, limit }: NewAttempt["network"]) =>
    reserveAttempt(transaction, key, limit, nowMs);
  const lookAt = async ({ key, limit }: NewAttempt["network"], isAllowed: boolean) =>
    // Whatever it may say by now, this attempt was counted or not.
    ({ ...(await lookAtAttempts(transaction, key, limit, nowMs)), isAllowed });
  const isCounted = (await reserve(account)) !== null;
  // Looked at in any case: an attempt that is blocked takes as many statements as another (decision 0054).
  const decision = await lookAt(account, isCounted);
  if ((await reserve(network)) === null) {
    throw new Undone({ blocked: "network", decision: await lookAt(network, false) });
  }
  const blocked = isCounted ? null : "account";
  return { blocked, decision, account: await findAccount(transaction, foldedUserName) };
}

/** Few statements, because a log-in holds up others; the network's counter, which many share, comes last. */
async function complete(
  transaction: Kysely<Tables>,
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
    const ended = await endSurplus(transaction, account.contactId, sessionsMax, ending);
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

/** A few events: a single statement, which is whole or undone without a transaction around it. */
async function note(database: Kysely<Tables>, events: readonly LogInEvent[]): Promise<void> {
  await insertEvents(database, events);
}

/** A session ends on behalf of whoever logs in. */
function endEvent(why: SessionEnd, { events, nowMs }: SuccessfulLogIn): LogInEvent {
  return eventOf({ ...events[0], atMs: nowMs, name: "session-ended", reason: why });
}
