import type { RateLimit, RateLimitDecision } from "../../domain/log-in/limits/rate-limits.ts";
import { firstRow, type SqlConnection, statement } from "../sql.ts";

/** Row of `log_in_counters`: attempts on one key (decision 0023); times are UTC in milliseconds. */
interface Counter {
  /** Since the last success. */
  readonly attempts: number;
  readonly windowStartedAtMs: number;
  readonly windowAttempts: number;
  readonly blockedUntilMs: number;
  /** When the latest attempt was allowed. */
  readonly latestAtMs: number;
}

const unused: Counter = {
  attempts: 0,
  windowStartedAtMs: 0,
  windowAttempts: 0,
  blockedUntilMs: 0,
  latestAtMs: 0,
};

/** Parameters of the statement that counts an attempt; times are UTC in milliseconds. */
interface LimitParameters {
  readonly key: string;
  readonly now: number;
  /** Until when the first attempt blocks the next. */
  readonly firstBlock: number;
  /** A window that began then or before is over. */
  readonly windowStart: number;
  readonly tooFar: number;
  readonly windowMax: number;
  readonly blockAt: number;
  /** Attempts without a delay after them. */
  readonly free: number;
  readonly delay: number;
  readonly doublings: number;
  readonly delayMax: number;
}

const returned = `attempts, window_started_at as "windowStartedAtMs", window_attempts as "windowAttempts",
  blocked_until as "blockedUntilMs", latest_at as "latestAtMs"`;

const consuming = {
  first: consumeFrom("counter.window_started_at"),
  latest: consumeFrom("counter.latest_at"),
};

/** `started` is a window's start. Casts are for parameters whose type PostgreSQL cannot tell. */
function consumeFrom(started: string) {
  const now = "cast(:now as bigint)";
  const tooFar = "cast(:tooFar as bigint)";
  const isOver = `(${started} <= cast(:windowStart as bigint) or ${started} > ${tooFar})`;
  const beyondFree = "counter.attempts - cast(:free as bigint)";
  return statement<LimitParameters, Counter>(`
    insert into log_in_counters as counter
      (key, attempts, window_started_at, window_attempts, blocked_until, latest_at)
    values (:key, 1, ${now}, 1, cast(:firstBlock as bigint), ${now})
    on conflict (key) do update set
      attempts = counter.attempts + 1,
      window_started_at = case when ${isOver} then ${now} else counter.window_started_at end,
      window_attempts = case when ${isOver} then 1 else counter.window_attempts + 1 end,
      -- 0 where it does not block others: a time would, on another node whose clock is behind.
      blocked_until = case
        when counter.attempts < cast(:free as bigint) then 0
        when ${beyondFree} >= cast(:doublings as bigint) then ${now} + cast(:delayMax as bigint)
        else ${now} + (cast(:delay as bigint) << cast(${beyondFree} as integer)) end,
      latest_at = ${now}
    where counter.attempts < cast(:blockAt as bigint)
      and (counter.blocked_until <= ${now} or counter.blocked_until > ${tooFar})
      and (${isOver} or counter.window_attempts < cast(:windowMax as bigint))
    returning ${returned}`);
}

const find = statement<{ key: string }, Counter>(
  `select ${returned} from log_in_counters where key = :key`,
);
const deleteAttempts = statement<{ keys: readonly string[] }>(
  "delete from log_in_counters where key = any(:keys)",
);
const countDown = statement<{ key: string }>(`
  update log_in_counters set
    attempts = case when attempts > 0 then attempts - 1 else 0 end,
    window_attempts = case when window_attempts > 0 then window_attempts - 1 else 0 end
  where key = :key`);

/** Counts an attempt in one statement; resolves to null if the rule forbids it (decision 0023). */
export async function consumeAttempt(
  connection: SqlConnection,
  key: string,
  rule: RateLimit,
  nowMs: number,
): Promise<RateLimitDecision | null> {
  const { doublings, delayMaxMs } = boundsOf(rule);
  const row = await firstRow(connection, consuming[rule.windowFrom], {
    key,
    now: nowMs,
    firstBlock: delayOf(rule, 1) === 0 ? 0 : nowMs + delayOf(rule, 1),
    windowStart: nowMs - rule.windowMs,
    // A time that lies too far ahead was written by a clock that has been set back since.
    tooFar: nowMs + longestMs(rule),
    windowMax: rule.windowMax,
    blockAt: rule.blockAt,
    free: rule.delayFrom - 1,
    delay: rule.delayMs,
    doublings,
    delayMax: delayMaxMs,
  });
  return row === undefined ? null : toDecision(row, rule, nowMs, true);
}

/** The decision of a rule on a key, without counting. */
export async function peekAttempts(
  connection: SqlConnection,
  key: string,
  rule: RateLimit,
  nowMs: number,
): Promise<RateLimitDecision> {
  const counter = (await firstRow(connection, find, { key })) ?? unused;
  const isAllowed = findNextMs(counter, rule, nowMs) <= nowMs;
  return toDecision(counter, rule, nowMs, isAllowed);
}

/** Forgets all attempts on keys; resolves to how many keys had any. */
export function forgetAttempts(
  connection: SqlConnection,
  keys: readonly string[],
): Promise<number> {
  return connection.run(deleteAttempts, { keys });
}

/** Takes back the count of one attempt that was not a guess. */
export async function giveAttemptBack(connection: SqlConnection, key: string): Promise<void> {
  await connection.run(countDown, { key });
}

/** Delay in milliseconds that follows the attempt of this number. */
function delayOf(rule: RateLimit, attempt: number): number {
  const { doublings, delayMaxMs } = boundsOf(rule);
  if (attempt < rule.delayFrom) return 0;
  const doubled = attempt - rule.delayFrom;
  return doubled >= doublings ? delayMaxMs : rule.delayMs * 2 ** doubled;
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

/** Earliest next attempt, `nowMs` or later; infinite where only a success or an operator helps. */
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

function toDecision(
  counter: Counter,
  rule: RateLimit,
  nowMs: number,
  isAllowed: boolean,
): RateLimitDecision {
  const { attempts } = counter;
  return { isAllowed, attempts, nextAtMs: findNextMs(counter, rule, nowMs) };
}
