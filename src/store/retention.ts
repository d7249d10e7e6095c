import type { StartTimer } from "../lib/timer.ts";
import type { Lease } from "./lease.ts";
import {
  type Database,
  type DeletedStep,
  firstRow,
  type PartitionOptions,
  statement,
} from "./sql.ts";

/** Rows of one transaction, most of whose time goes into its sync: page requests on SQLite wait for it meanwhile (decision 0069). */
const stepRows = 300;
/** Pause after a step, in durations of that step: so few page requests wait for one that their 99th percentile hardly changes. */
const pausePerStep = 40;
/** Longest pause, in milliseconds: on a slow disk 300 rows a second are still deleted. */
const pauseMaxMs = 1_000;
const dayMs = 86_400_000;
/** Age in days beyond which sessions that ended or ran out are deleted: until then people can look into what happened. */
const sessionDays = 30;
/** Age in days beyond which attempts are forgotten: far longer than any rule asks for. */
const counterDays = 90;
/** Days after which an expired ticket is forgotten: longer than clocks differ. */
const ticketDays = 1;
/** Time until the first run and between two, in milliseconds. */
const firstMs = 60_000;
const intervalMs = 3_600_000;
/** Time for which the lease of a node that died keeps the others waiting, in milliseconds: far longer than a step takes. */
export const leaseMs = 300_000;
/** How far the clock may be ahead of what monotonic time accounts for, in milliseconds (decision 0046). */
export const aheadMaxMs = dayMs;

/** What the retention job has done since it was made. */
interface RetentionFacts {
  /** Page requests that were deleted. */
  readonly deletedRows: number;
  readonly failures: number;
  /** When the last run ended that met no error, also of partitions, UTC in milliseconds; before the first one, when the job was made. */
  readonly succeededAtMs: number;
  /** How far the clock was ahead when the last run did not trust it, in milliseconds; else 0. */
  readonly clockAheadMs: number;
}

/** What the retention job is made of. */
export interface RetentionDeps {
  readonly queries: ReturnType<typeof createRetentionQueries>;
  /** Of `leaseMs`. */
  readonly lease: Lease;
  /** Age in days beyond which page requests and events of log-ins are deleted; 0 keeps them for ever. */
  readonly days: number;
  readonly now: () => number;
  /** Milliseconds of a clock that never jumps. */
  readonly elapsed: () => number;
  readonly after: StartTimer;
  readonly log: RetentionLog;
}

/** Events of the retention job. */
export interface RetentionLog {
  /** A run that deleted rows has ended. */
  retentionDone(deletedRows: number): void;
  /** The clock is not trusted: it is this far ahead of the latest run, in milliseconds. */
  retentionClockAhead(aheadMs: number): void;
  /** A run failed; the next one tries again. */
  retentionFailed(cause: unknown): void;
  /** Partitions for the next days could not be made; the next run tries again, and the default one takes their rows. */
  partitionsFailed(cause: unknown): void;
}

/** Deletes what is old in the background: page requests, and what log-ins leave behind. */
export interface Retention {
  /** Runs soon, and then every hour until it is stopped. */
  start(): void;
  /** Runs no more; resolves once a run that has begun has ended, which it does after its present step. */
  stop(): Promise<void>;
  readonly facts: () => RetentionFacts;
}

/** What ages: the rows of a table by the time in one of their columns, which has an index. */
const ageing = {
  pageRequests: deleteOldest("page_requests", "id", "arrived_at"),
  events: deleteOldest("log_in_events", "id", "at"),
  counters: deleteOldest("log_in_counters", "key", "latest_at"),
  usedTickets: deleteOldest("used_tickets", "digest", "expires_at"),
  endedSessions: deleteOldest("sessions", "id", "ended_at"),
  idleSessions: deleteOldest("sessions", "id", "idle_until"),
  oldSessions: deleteOldest("sessions", "id", "absolute_until"),
};
const sessions = ["endedSessions", "idleSessions", "oldSessions"] as const;

function deleteOldest(table: string, key: string, column: string) {
  return statement<{ instant: number }>(`
    delete from ${table} where ${key} in (
      select ${key} from ${table} where ${column} < :instant order by ${column} limit ${stepRows})`);
}

/** How far retention has come; times are UTC in milliseconds. */
export interface RetentionState {
  /** Present as of the latest run, or as of the first start where none has run yet; null on a new database. */
  readonly recordedMs: number | null;
  /** What the clock showed at the latest run; null before the first one. */
  readonly ranAtMs: number | null;
  /** What the clock shows. */
  readonly clockMs: number;
}

const findState = statement<object, { ranAtMs: number | null; asOfMs: number | null }>(
  'select ran_at as "ranAtMs", as_of as "asOfMs" from retention_state',
);
/**
 * The arrival of the newest page request, or the clock where that is earlier. Events of log-ins count only where there
 * are no page requests: an account added before the first start has one with the time of the wrong clock.
 */
const recordStart = statement<{ clock: number }>(`
  update retention_state set as_of = (
    select case when newest < :clock then newest else :clock end from (
      select coalesce(
        (select max(arrived_at) from page_requests), (select max(at) from log_in_events)
      ) as newest
    ) as found)
  where as_of is null`);
const updateState = statement<{ clockMs: number; recordMs: number }>(
  "update retention_state set ran_at = :clockMs, as_of = :recordMs",
);

/** The state of retention in a database, and what it deletes there. */
export function createRetentionQueries(database: Database) {
  return {
    readState: async (nowMs: number): Promise<RetentionState> => {
      const clockMs = await database.currentTime(nowMs);
      const { asOfMs: recordedMs = null, ranAtMs = null } =
        (await firstRow(database, findState, {})) ?? {};
      return { recordedMs, ranAtMs, clockMs };
    },
    /** Records where the first run begins, before a start stores rows: those have the time of a clock that nothing bounds. */
    recordStart: async (nowMs: number): Promise<void> => {
      await database.run(recordStart, { clock: await database.currentTime(nowMs) });
    },
    recordState: async (state: { clockMs: number; recordMs: number }) => {
      await database.run(updateState, state);
    },
    /** Deletes the oldest rows of one kind before an instant, as many as one step may. */
    deleteStep: async (kind: keyof typeof ageing, instantMs: number): Promise<DeletedStep> => {
      const { partitions } = database;
      if (kind === "pageRequests" && partitions !== undefined) {
        return partitions.deleteStep(instantMs);
      }
      const rows = await database.run(ageing[kind], { instant: instantMs });
      return { rows, isDone: rows < stepRows };
    },
    /** Makes the partitions of the next days, where the engine has any. */
    preparePartitions: async (options: PartitionOptions): Promise<void> => {
      const nowMs = await database.currentTime(options.nowMs);
      await database.partitions?.prepare({ ...options, nowMs });
    },
  };
}

/**
 * Makes the retention job of a store (decision 0015). Of several nodes one at a time runs it, and none trusts a
 * clock that jumped ahead (decision 0046).
 */
export function createRetention(deps: RetentionDeps): Retention {
  const { now, after, log, lease } = deps;
  const facts = { deletedRows: 0, failures: 0, succeededAtMs: now(), clockAheadMs: 0 };
  const findPresent = createPresent(deps);
  const pauses = createPauses(after);
  let running: Promise<void> = Promise.resolve();

  /** Resolves to false where the partitions of the next days could not be made. */
  async function deleteAll(): Promise<boolean> {
    facts.clockAheadMs = 0;
    // Where another node has the lease, that one deletes.
    if (!(await lease.acquire())) return true;
    try {
      const isPrepared = await preparePartitions(deps);
      const { asOfMs, aheadMs, isFirst } = await findPresent();
      facts.clockAheadMs = aheadMs;
      if (aheadMs > 0) log.retentionClockAhead(aheadMs);
      if (isFirst) return isPrepared;
      const mayGoOn = keepLease(lease, deps.elapsed, pauses.areOver);
      const deletedBefore = facts.deletedRows;
      await deleteOld({
        ...{ ...deps, asOfMs, mayGoOn, pause: pauses.pause },
        deleted: (pageRequests) => {
          facts.deletedRows += pageRequests;
        },
      });
      const deleted = facts.deletedRows - deletedBefore;
      if (deleted > 0) log.retentionDone(deleted);
      return isPrepared;
    } finally {
      await lease.release();
    }
  }
  async function run(): Promise<void> {
    try {
      if (await deleteAll()) facts.succeededAtMs = now();
      else facts.failures += 1;
    } catch (cause) {
      facts.failures += 1;
      // Nothing is lost by it: the next run finds the same rows.
      log.retentionFailed(cause);
    }
  }
  async function runUntilStopped(): Promise<void> {
    for (let delayMs = firstMs; !pauses.areOver(); delayMs = intervalMs) {
      await pauses.pause(delayMs);
      if (!pauses.areOver()) await run();
    }
  }
  return {
    start: () => {
      running = runUntilStopped();
    },
    stop: async () => {
      pauses.end();
      await running;
    },
    facts: () => ({ ...facts }),
  };
}

/** Pauses of the job. Once they are over, none takes any time. */
function createPauses(after: StartTimer) {
  let areOver = false;
  let endPause = () => {};
  return {
    areOver: () => areOver,
    pause: async (delayMs: number): Promise<void> => {
      if (areOver) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const cancel = after(delayMs, resolve);
      endPause = () => {
        cancel();
        resolve();
      };
      await promise;
    },
    end: () => {
      areOver = true;
      endPause();
    },
  };
}

/** Makes the partitions of the next days; resolves to false where that fails, which does not keep old rows. */
async function preparePartitions({ queries, days, now, log }: RetentionDeps): Promise<boolean> {
  try {
    await queries.preparePartitions({ nowMs: now(), retentionDays: days, isStart: false });
    return true;
  } catch (cause) {
    log.partitionsFailed(cause);
    return false;
  }
}

/** Extends a lease in time while a run goes on; resolves to false when the run has to end. */
function keepLease(lease: Lease, elapsed: () => number, isStopped: () => boolean) {
  let renewedAt = elapsed();
  return async () => {
    if (isStopped()) return false;
    if (elapsed() - renewedAt < leaseMs / 2) return true;
    renewedAt = elapsed();
    return lease.acquire();
  };
}

/** What is deleted in one run. */
interface Deletion extends Pick<RetentionDeps, "queries" | "days" | "elapsed"> {
  /** What is taken for the present, UTC in milliseconds. */
  readonly asOfMs: number;
  /** Asked before each step. */
  readonly mayGoOn: () => Promise<boolean>;
  /** Resolves after so many milliseconds, or when the job is stopped. */
  readonly pause: (delayMs: number) => Promise<void>;
  /** Called with the number of page requests that were deleted. */
  readonly deleted: (pageRequests: number) => void;
}

/** Deletes all kinds of old rows. One that fails, as page requests do beside `pg_dump`, does not keep the others. */
async function deleteOld({ queries, days, asOfMs, ...run }: Deletion): Promise<void> {
  const failures: unknown[] = [];
  const deleteOlder = async (kind: keyof typeof ageing, ageDays: number) => {
    try {
      await deleteKind(kind, ageDays);
    } catch (cause) {
      failures.push(cause);
    }
  };
  const deleteKind = async (kind: keyof typeof ageing, ageDays: number) => {
    while (await run.mayGoOn()) {
      const begunAt = run.elapsed();
      const { rows, isDone } = await queries.deleteStep(kind, asOfMs - ageDays * dayMs);
      if (kind === "pageRequests") run.deleted(rows);
      if (isDone) break;
      const tookMs = run.elapsed() - begunAt;
      if (tookMs > 0) await run.pause(Math.min(tookMs * pausePerStep, pauseMaxMs));
    }
  };
  if (days > 0) await deleteOlder("pageRequests", days);
  if (days > 0) await deleteOlder("events", days);
  for (const kind of sessions) await deleteOlder(kind, sessionDays);
  await deleteOlder("counters", counterDays);
  await deleteOlder("usedTickets", ticketDays);
  if (failures.length > 0) throw failures[0];
}

/** What a run takes for the present, and how far the clock is ahead where it is not trusted; both in milliseconds. */
interface Present {
  readonly asOfMs: number;
  readonly aheadMs: number;
  /** The first run on a database deletes nothing: a new one knows no time but that of the clock. */
  readonly isFirst: boolean;
}

/**
 * Finds what to take for the present, and records it. The clock is trusted while it is at most a day ahead of what has
 * surely passed: the recorded instant, and the monotonic time since this process saw it. Where it is not trusted, the
 * monotonic time counts twice, so that a server that was off catches up.
 */
function createPresent({ queries, now, elapsed }: RetentionDeps): () => Promise<Present> {
  let seen: { readonly asOfMs: number; readonly atMs: number } | null = null;
  return async () => {
    const { recordedMs, ranAtMs, clockMs } = await queries.readState(now());
    const passedMs = seen === null ? 0 : Math.floor(elapsed() - seen.atMs);
    const provenMs = Math.max(recordedMs ?? clockMs, (seen?.asOfMs ?? 0) + passedMs);
    const aheadMs = clockMs - provenMs > aheadMaxMs ? clockMs - provenMs : 0;
    const asOfMs = aheadMs > 0 ? provenMs + Math.min(passedMs, aheadMs) : clockMs;
    const isFirst = ranAtMs === null;
    // A clock that went back disproves nothing. What the first run finds was stored by a clock that nothing bounded.
    const recordMs = isFirst ? asOfMs : Math.max(asOfMs, provenMs);
    await queries.recordState({ clockMs, recordMs });
    seen = { asOfMs: recordMs, atMs: elapsed() };
    return { asOfMs, aheadMs, isFirst };
  };
}
