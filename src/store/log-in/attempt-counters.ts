import { type Kysely, type RawBuilder, type Selectable, sql } from "kysely";
import type { RateLimit, RateLimitDecision } from "../../domain/log-in/limits/rate-limits.ts";
import { keepQuery } from "../kept-query.ts";
import type { CounterRow } from "../log-in-schema.ts";
import type { Tables } from "../migrations/tables.ts";

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
  rule: RateLimit,
  nowMs: number,
): Promise<RateLimitDecision | null> {
  const { doublings, delayMaxMs } = boundsOf(rule);
  const { rows } = await reserving[rule.windowFrom](database, {
    key,
    now: BigInt(nowMs),
    firstBlock: BigInt(delayOf(rule, 1) === 0 ? 0 : nowMs + delayOf(rule, 1)),
    windowStart: BigInt(nowMs - rule.windowMs),
    // A time that lies too far ahead was written by a clock that has been set back since.
    tooFar: BigInt(nowMs + longestMs(rule)),
    windowMax: BigInt(rule.windowMax),
    holdAt: BigInt(rule.blockAt),
    free: BigInt(rule.delayFrom - 1),
    delay: BigInt(rule.delayMs),
    doublings: BigInt(doublings),
    delayMax: BigInt(delayMaxMs),
  });
  const [row] = rows;
  return row === undefined ? null : toReservation(toCounter(row), rule, nowMs, true);
}

/** A key, and what a rule comes to now; times are UTC in milliseconds. */
interface RuleNow {
  readonly key: string;
  readonly now: bigint;
  /** Until when the first attempt holds up the next. */
  readonly firstBlock: bigint;
  /** A window that began then or before is over. */
  readonly windowStart: bigint;
  readonly tooFar: bigint;
  readonly windowMax: bigint;
  readonly holdAt: bigint;
  /** Attempts without a delay after them. */
  readonly free: bigint;
  readonly delay: bigint;
  readonly doublings: bigint;
  readonly delayMax: bigint;
}

const reserving = {
  first: keepReserving(sql`counter.window_started_at`),
  latest: keepReserving(sql`counter.latest_at`),
};

function keepReserving(started: RawBuilder<unknown>) {
  return keepQuery((database, given: RuleNow) => {
    const [now, tooFar] = [long(given.now), long(given.tooFar)];
    const isOver = sql`(${started} <= ${long(given.windowStart)} or ${started} > ${tooFar})`;
    const isFree = sql`(counter.blocked_until <= ${now} or counter.blocked_until > ${tooFar})`;
    return sql<Selectable<CounterRow>>`
      insert into log_in_counters as counter
        (key, attempts, window_started_at, window_attempts, blocked_until, latest_at)
      values (${given.key}, 1, ${now}, 1, ${long(given.firstBlock)}, ${now})
      on conflict (key) do update set
        attempts = counter.attempts + 1,
        window_started_at = case when ${isOver} then ${now} else counter.window_started_at end,
        window_attempts = case when ${isOver} then 1 else counter.window_attempts + 1 end,
        blocked_until = ${nextBlock(given)},
        latest_at = ${now}
      where counter.attempts < ${long(given.holdAt)} and ${isFree}
        and (${isOver} or counter.window_attempts < ${long(given.windowMax)})
      returning *`.compile(database);
  });
}

/** What the rule says of a key, without counting. */
export async function lookAtAttempts(
  database: Kysely<Tables>,
  key: string,
  rule: RateLimit,
  nowMs: number,
): Promise<RateLimitDecision> {
  const { rows } = await findCounter(database, { key });
  const [row] = rows;
  const counter = row === undefined ? unused : toCounter(row);
  const isAllowed = findNextMs(counter, rule, nowMs) <= nowMs;
  return toReservation(counter, rule, nowMs, isAllowed);
}

const findCounter = keepQuery((database, { key }: { readonly key: string }) =>
  database.selectFrom("log_in_counters").selectAll().where("key", "=", key).compile(),
);

/** Forgets all attempts on a key. */
export async function forgetAttemptsOn(database: Kysely<Tables>, key: string): Promise<void> {
  await deleteCounter(database, { key });
}

const deleteCounter = keepQuery((database, { key }: { readonly key: string }) =>
  database.deleteFrom("log_in_counters").where("key", "=", key).compile(),
);

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
  await countDown(database, { key });
}

const countDown = keepQuery((database, { key }: { readonly key: string }) =>
  sql`
    update log_in_counters set
      attempts = case when attempts > 0 then attempts - 1 else 0 end,
      window_attempts = case when window_attempts > 0 then window_attempts - 1 else 0 end
    where key = ${key}`.compile(database),
);

/** Parameters of which PostgreSQL could not tell the type, and which SQLite would take for fractions. */
function long(value: bigint) {
  return sql`cast(${value} as bigint)`;
}

/** Delay in milliseconds that follows the attempt of this number. */
function delayOf(rule: RateLimit, attempt: number): number {
  const { doublings, delayMaxMs } = boundsOf(rule);
  if (attempt < rule.delayFrom) return 0;
  const doubled = attempt - rule.delayFrom;
  return doubled >= doublings ? delayMaxMs : rule.delayMs * 2 ** doubled;
}

/**
 * In SQL, until when the attempt after those that are counted holds up others. 0 where it does not: a time
 * would, on another node whose clock is behind.
 */
function nextBlock(given: RuleNow) {
  const [now, free] = [long(given.now), long(given.free)];
  return sql`case
    when counter.attempts < ${free} then ${long(0n)}
    when counter.attempts - ${free} >= ${long(given.doublings)} then ${now} + ${long(given.delayMax)}
    else ${now} + (${long(given.delay)} << cast(counter.attempts - ${free} as integer)) end`;
}

/** The longest delay and how many doublings lead to it: no number is ever shifted beyond. */
function boundsOf({ delayMs, delayMaxMs }: RateLimit) {
  if (delayMs <= 0) return { doublings: 0, delayMaxMs: 0 };
  let doublings = 0;
  while (delayMs * 2 ** doublings < delayMaxMs) doublings++;
  return { doublings, delayMaxMs };
}

function longestMs({ windowMs, delayMaxMs }: RateLimit): number {
  return Math.max(windowMs, delayMaxMs);
}

/** When the next attempt may be allowed, at `nowMs` or later; infinite where only a success or an operator helps. */
function findNextMs(counter: Counter, rule: RateLimit, nowMs: number): number {
  if (counter.attempts >= rule.blockAt) return Number.POSITIVE_INFINITY;
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
  rule: RateLimit,
  nowMs: number,
  isAllowed: boolean,
): RateLimitDecision {
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
