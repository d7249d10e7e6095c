import { type Kysely, type Selectable, sql } from "kysely";
import type { AttemptRule, Reservation } from "../domain/log-in/attempts.ts";
import type { CounterRow } from "./log-in-schema.ts";
import type { Tables } from "./schema.ts";

/** Counts and times of one key; times are UTC in milliseconds. */
interface Counter {
  readonly attempts: number;
  readonly windowStartedAtMs: number;
  readonly windowAttempts: number;
  readonly blockedUntilMs: number;
  readonly latestAtMs: number;
}

const unused: Counter = {
  attempts: 0,
  windowStartedAtMs: 0,
  windowAttempts: 0,
  blockedUntilMs: 0,
  latestAtMs: 0,
};

/**
 * Counts an attempt if the rule allows it, in one statement, so that no other attempt comes between
 * (decision 0023). Resolves to null when it does not.
 */
export async function reserveAttempt(
  database: Kysely<Tables>,
  key: string,
  rule: AttemptRule,
  nowMs: number,
): Promise<Reservation | null> {
  const now = long(nowMs);
  const started =
    rule.windowFrom === "first" ? sql`counter.window_started_at` : sql`counter.latest_at`;
  // A time that lies too far ahead was written by a clock that has been set back since.
  const tooFar = long(nowMs + longestMs(rule));
  const isOver = sql`(${started} <= ${long(nowMs - rule.windowMs)} or ${started} > ${tooFar})`;
  const isFree = sql`(counter.blocked_until <= ${now} or counter.blocked_until > ${tooFar})`;
  const { rows } = await sql<Selectable<CounterRow>>`
    insert into log_in_counters as counter
      (key, attempts, window_started_at, window_attempts, blocked_until, latest_at)
    values (${key}, 1, ${now}, 1, ${long(delayOf(rule, 1) === 0 ? 0 : nowMs + delayOf(rule, 1))}, ${now})
    on conflict (key) do update set
      attempts = counter.attempts + 1,
      window_started_at = case when ${isOver} then ${now} else counter.window_started_at end,
      window_attempts = case when ${isOver} then 1 else counter.window_attempts + 1 end,
      blocked_until = ${nextBlock(rule, nowMs)},
      latest_at = ${now}
    where counter.attempts < ${long(rule.holdAt)} and ${isFree}
      and (${isOver} or counter.window_attempts < ${long(rule.windowMax)})
    returning *`.execute(database);
  const [row] = rows;
  return row === undefined ? null : toReservation(toCounter(row), rule, nowMs, true);
}

/** What the rule says of a key, without counting. */
export async function lookAtAttempts(
  database: Kysely<Tables>,
  key: string,
  rule: AttemptRule,
  nowMs: number,
): Promise<Reservation> {
  const row = await database
    .selectFrom("log_in_counters")
    .selectAll()
    .where("key", "=", key)
    .executeTakeFirst();
  const counter = row === undefined ? unused : toCounter(row);
  const isAllowed = findNextMs(counter, rule, nowMs) <= nowMs;
  return toReservation(counter, rule, nowMs, isAllowed);
}

/** Forgets all attempts on keys; resolves to how many keys had any. */
export async function forgetAttempts(
  database: Kysely<Tables>,
  keys: readonly string[],
): Promise<number> {
  if (keys.length === 0) return 0;
  const { numDeletedRows } = await database
    .deleteFrom("log_in_counters")
    .where("key", "in", keys)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** Takes back the count of one attempt that was none of a guesser. */
export async function giveAttemptBack(database: Kysely<Tables>, key: string): Promise<void> {
  await sql`
    update log_in_counters set
      attempts = case when attempts > 0 then attempts - 1 else 0 end,
      window_attempts = case when window_attempts > 0 then window_attempts - 1 else 0 end
    where key = ${key}`.execute(database);
}

/** Parameters of which PostgreSQL could not tell the type, and which SQLite would take for fractions. */
function long(value: number) {
  return sql`cast(${BigInt(value)} as bigint)`;
}

/** Delay in milliseconds that follows the attempt of this number. */
function delayOf(rule: AttemptRule, attempt: number): number {
  const { doublings, delayMaxMs } = boundsOf(rule);
  if (attempt < rule.delayFrom) return 0;
  const doubled = attempt - rule.delayFrom;
  return doubled >= doublings ? delayMaxMs : rule.delayMs * 2 ** doubled;
}

/**
 * In SQL, until when the attempt after those that are counted holds up others. 0 where it does not: a time
 * would, on another node whose clock is behind.
 */
function nextBlock(rule: AttemptRule, nowMs: number) {
  const { doublings, delayMaxMs } = boundsOf(rule);
  const last = long(rule.delayFrom - 1);
  const now = long(nowMs);
  return sql`case
    when counter.attempts < ${last} then ${long(0)}
    when counter.attempts - ${last} >= ${long(doublings)} then ${now} + ${long(delayMaxMs)}
    else ${now} + (${long(rule.delayMs)} << cast(counter.attempts - ${last} as integer)) end`;
}

/** The longest delay and how many doublings lead to it: no number is ever shifted beyond. */
function boundsOf({ delayMs, delayMaxMs }: AttemptRule) {
  if (delayMs <= 0) return { doublings: 0, delayMaxMs: 0 };
  let doublings = 0;
  while (delayMs * 2 ** doublings < delayMaxMs) doublings++;
  return { doublings, delayMaxMs };
}

function longestMs({ windowMs, delayMaxMs }: AttemptRule): number {
  return Math.max(windowMs, delayMaxMs);
}

/** When the next attempt may be allowed, at `nowMs` or later; infinite where only a success or an operator helps. */
function findNextMs(counter: Counter, rule: AttemptRule, nowMs: number): number {
  if (counter.attempts >= rule.holdAt) return Number.POSITIVE_INFINITY;
  const tooFarMs = nowMs + longestMs(rule);
  const startedMs = rule.windowFrom === "first" ? counter.windowStartedAtMs : counter.latestAtMs;
  const isFull = counter.windowAttempts >= rule.windowMax && startedMs <= tooFarMs;
  const isBlocked = counter.blockedUntilMs <= tooFarMs;
  return Math.max(
    nowMs,
    isFull ? startedMs + rule.windowMs : nowMs,
    isBlocked ? counter.blockedUntilMs : nowMs,
  );
}

function toReservation(
  counter: Counter,
  rule: AttemptRule,
  nowMs: number,
  isAllowed: boolean,
): Reservation {
  const { attempts } = counter;
  return { isAllowed, attempts, nextAtMs: findNextMs(counter, rule, nowMs) };
}

function toCounter(row: Selectable<CounterRow>): Counter {
  return {
    attempts: Number(row.attempts),
    windowStartedAtMs: Number(row.window_started_at),
    windowAttempts: Number(row.window_attempts),
    blockedUntilMs: Number(row.blocked_until),
    latestAtMs: Number(row.latest_at),
  };
}
