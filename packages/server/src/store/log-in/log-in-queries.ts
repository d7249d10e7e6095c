import type { LogInEvent } from "../../domain/log-in/audit.ts";
import type { Form } from "../../domain/log-in/form.ts";
import type { RateLimit, RateLimitDecision } from "../../domain/log-in/limits/rate-limits.ts";
import type {
  CountedAttempt,
  LegacyExchange,
  LogInStore,
  NewAttempt,
  SuccessfulLogIn,
} from "../../domain/log-in/log-in-store.ts";
import type { Promotion, Session, SessionEnd } from "../../domain/log-in/sessions/session.ts";
import { type Database, type SqlConnection, statement } from "../sql.ts";
import { findAccount, listHashForms, noteLogIn } from "./accounts.ts";
import {
  consumeAttempt,
  forgetAttempts,
  giveAttemptBack,
  peekAttempts,
} from "./attempt-counters.ts";
import { eventOf, hasAlarm, insertEvents } from "./events.ts";
import { listForms } from "./forms.ts";
import { exchangeTicket, refuseTickets } from "./legacy-tickets.ts";
import {
  endExcess,
  endSessions,
  findSession,
  insertSession,
  type SessionChoice,
  toEndEvents,
} from "./sessions.ts";

// Each step of a session takes place once, also with several nodes (decision 0024), because each is
// one statement that changes the session only if it is as the caller knows it.
const bind = statement<{ id: bigint; instanceId: bigint }>(`
  update sessions set application_instance_id = :instanceId
  where id = :id and ended_at is null and application_instance_id is null`);
const offer = statement<{
  id: bigint;
  rotations: number;
  replaced: string | null;
  pending: string;
  pendingBox: string;
  usedAtMs: number;
  idleUntilMs: number;
}>(`
  update sessions
  set pending_hash = :pending, pending_box = :pendingBox, used_at = :usedAtMs, idle_until = :idleUntilMs
  where id = :id and ended_at is null and generation = :rotations
    and coalesce(pending_hash, '') = coalesce(:replaced, '')`);
const promote = statement<
  Omit<Promotion, "retired"> & { id: bigint; rotations: number; retired: string }
>(`
  update sessions set generation = generation + 1, current_hash = :current, previous_hash = :previous,
    previous_until = :previousUntilMs, pending_hash = null, pending_box = null, retired_hashes = :retired,
    rotated_at = :rotatedAtMs, used_at = :usedAtMs, idle_until = :idleUntilMs
  where id = :id and ended_at is null and generation = :rotations`);

/** Rolls a transaction back, and keeps its result. */
class RolledBack extends Error {
  readonly result: Extract<CountedAttempt, { blocked: "network" }>;

  constructor(result: RolledBack["result"]) {
    super("The transaction was rolled back");
    this.result = result;
  }
}

/** Log-ins of a database. */
export class LogInQueries implements LogInStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async consume(key: string, rule: RateLimit, nowMs: number): Promise<RateLimitDecision> {
    const counted = await consumeAttempt(this.#database, key, rule, nowMs);
    // Whatever it may say by now, this attempt was not counted.
    return (
      counted ?? { ...(await peekAttempts(this.#database, key, rule, nowMs)), isAllowed: false }
    );
  }

  listHashForms(): Promise<readonly string[]> {
    return listHashForms(this.#database);
  }

  listForms(): Promise<readonly Form[]> {
    return listForms(this.#database);
  }

  begin(attempt: NewAttempt): Promise<CountedAttempt> {
    return beginAttempt(this.#database, attempt, findAccount);
  }

  complete(logIn: SuccessfulLogIn): Promise<bigint | null | false> {
    return this.#database.transaction((transaction) => complete(transaction, logIn));
  }

  exchange(exchange: LegacyExchange): ReturnType<LogInStore["exchange"]> {
    return this.#database.transaction((transaction) => exchangeTicket(transaction, exchange));
  }

  findSession(selector: string): Promise<Session | null> {
    return findSession(this.#database, selector);
  }

  async bindInstance(id: bigint, instanceId: bigint): Promise<boolean> {
    return (await this.#database.run(bind, { id, instanceId })) > 0;
  }

  async offer(...[session, next]: Parameters<LogInStore["offer"]>): Promise<boolean> {
    const { id, rotations, pending: replaced } = session;
    return (await this.#database.run(offer, { ...next, id, rotations, replaced })) > 0;
  }

  async promote(
    { id, rotations }: Pick<Session, "id" | "rotations">,
    next: Promotion,
  ): Promise<boolean> {
    const given = { ...next, id, rotations, retired: next.retired.join(" ") };
    return (await this.#database.run(promote, given)) > 0;
  }

  endSessions(
    which: SessionChoice,
    why: SessionEnd,
    event: LogInEvent,
  ): Promise<readonly bigint[]> {
    return this.#database.transaction(async (transaction) => {
      await refuseTickets(transaction, which, event.atMs);
      const ended = await endSessions(transaction, which, { why, atMs: event.atMs });
      await insertEvents(transaction, toEndEvents(ended, event));
      return ended.map(({ id }) => id);
    });
  }

  raiseAlarm(
    { id, recordId }: Pick<Session, "id" | "recordId">,
    sinceMs: number,
    { alarm, end }: { readonly alarm: LogInEvent; readonly end: LogInEvent },
  ): Promise<readonly bigint[]> {
    return this.#database.transaction(async (transaction) => {
      const ending = { why: "reused", atMs: end.atMs } as const;
      const ended = [...(await endSessions(transaction, { sessionId: id }, ending))];
      // Another call has raised it: the validator came back more than once.
      if (ended.length === 0) return [];
      if (await hasAlarm(transaction, { recordId, otherThan: id, sinceMs })) {
        ended.push(...(await endSessions(transaction, { recordId }, ending)));
      }
      await insertEvents(transaction, [alarm, ...toEndEvents(ended, end)]);
      return ended.map((session) => session.id);
    });
  }

  addEvents(events: readonly LogInEvent[]): Promise<void> {
    return insertEvents(this.#database, events);
  }
}

/** Finds what has a folded name and a password. */
type FindByName<Found> = (connection: SqlConnection, foldedName: string) => Promise<Found | null>;

/** Counts an attempt for account and network, and finds the account, in one transaction. */
export async function beginAttempt<Found>(
  database: Database,
  attempt: NewAttempt,
  find: FindByName<Found>,
): Promise<CountedAttempt<Found>> {
  try {
    return await database.transaction((transaction) => countAttempt(transaction, attempt, find));
  } catch (cause) {
    if (cause instanceof RolledBack) return cause.result;
    throw cause;
  }
}

/**
 * Counts an attempt for account and network, and finds the account. The network comes last, as in
 * `complete`: many share it, and two transactions never wait for each other.
 */
export async function countAttempt<Found>(
  transaction: SqlConnection,
  { network, account, foldedUserName, nowMs }: NewAttempt,
  find: FindByName<Found>,
): Promise<CountedAttempt<Found>> {
  const consume = ({ key, limit }: NewAttempt["network"]) =>
    consumeAttempt(transaction, key, limit, nowMs);
  const peek = async ({ key, limit }: NewAttempt["network"], isAllowed: boolean) =>
    // Whatever it may say by now, this attempt was counted or not.
    ({ ...(await peekAttempts(transaction, key, limit, nowMs)), isAllowed });
  const isCounted = (await consume(account)) !== null;
  // Read in any case: a blocked attempt takes as many statements as another (decision 0054).
  const decision = await peek(account, isCounted);
  if ((await consume(network)) === null) {
    throw new RolledBack({ blocked: "network", decision: await peek(network, false) });
  }
  const blocked = isCounted ? null : "account";
  return { blocked, decision, account: await find(transaction, foldedUserName) };
}

/** Few statements, since a log-in holds up others; last the network's counter, which many share. */
async function complete(
  transaction: SqlConnection,
  logIn: SuccessfulLogIn,
): Promise<bigint | null | false> {
  const { account, session, endsSessionId, sessionsMax, nowMs } = logIn;
  const noted = await noteLogIn(transaction, logIn);
  if (noted === null) return false;
  await forgetAttempts(transaction, [logIn.accountKey]);
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
