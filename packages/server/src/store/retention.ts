import type { StartTimer } from "../lib/timer.ts";
import { markArrivals } from "./changed-days.ts";
import type { Lease } from "./lease.ts";
import { LeasedJob } from "./leased-job.ts";
import {
  type Database,
  type DeletedStep,
  firstRow,
  type PartitionOptions,
  statement,
} from "./sql.ts";

/** Rows of one transaction, most of whose time is its sync: page requests on SQLite wait for it. */
const stepRows = 300;
/** Pause after a step, in durations of that step: the 99th percentile of page requests stays. */
const pausePerStep = 40;
/** Longest pause, in milliseconds: on a slow disk 300 rows a second are still deleted. */
const pauseMaxMs = 1_000;
const dayMs = 86_400_000;
/** Age in days beyond which sessions that ended or ran out are deleted, for looking into them. */
const sessionDays = 30;
/** Age in days beyond which attempts are forgotten: far longer than any rule asks for. */
const counterDays = 90;
/** Days after which an expired ticket is forgotten: longer than clocks differ. */
const ticketDays = 1;
/** Time until the first run and between two, in milliseconds. */
const firstMs = 60_000;
const intervalMs = 3_600_000;
/** Time for which a node that died keeps the others waiting, in milliseconds. */
export const retentionLeaseMs = 300_000;
/** Most that the clock may be ahead of proven time, in milliseconds (decision 0046). */
export const aheadMaxMs = dayMs;

/** Collaborators of the retention job. */
export interface RetentionDeps {
  readonly queries: Pick<
    RetentionQueries,
    "readState" | "recordState" | "deleteStep" | "preparePartitions"
  >;
  /** Of `retentionLeaseMs`. */
  readonly lease: Lease;
  /** Age in days beyond which page requests and events of log-ins are deleted; 0 keeps them. */
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
  /** Partitions for the next days could not be made; the next run tries again. */
  partitionsFailed(cause: unknown): void;
}

/** Page requests where they are not in partitions; their days are marked. */
const deletePageRequests = statement<{ instant: number }, { arrivedAtMs: number }>(
  `${oldestOf("page_requests", "id", "arrived_at")} returning arrived_at as "arrivedAtMs"`,
);
/** Other rows that age by the time in one of their columns, which has an index. */
const ageing = {
  events: deleteOldest("log_in_events", "id", "at"),
  endedSessions: deleteOldest("sessions", "id", "ended_at"),
  idleSessions: deleteOldest("sessions", "id", "idle_until"),
  oldSessions: deleteOldest("sessions", "id", "absolute_until"),
  counters: deleteOldest("log_in_counters", "key", "latest_at"),
  usedTickets: deleteOldest("used_tickets", "digest", "expires_at"),
};

function deleteOldest(table: string, key: string, column: string) {
  return statement<{ instant: number }>(oldestOf(table, key, column));
}

function oldestOf(table: string, key: string, column: string): string {
  return `
    delete from ${table} where ${key} in (
      select ${key} from ${table} where ${column} < :instant order by ${column} limit ${stepRows})`;
}

/** A kind of rows that age. */
type AgeingKind = "pageRequests" | keyof typeof ageing;

const findState = statement<object, { ranAtMs: number | null; asOfMs: number | null }>(
  'select ran_at as "ranAtMs", as_of as "asOfMs" from retention_state',
);
/**
 * The arrival of the newest page request, or the clock where that is earlier. Events count only
 * without page requests: an account added before the first start has one of the wrong clock.
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
export class RetentionQueries {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Reads how far retention has come, UTC in milliseconds: what the latest run took for the
   * present, or the first start where none has run (null on a new database); what the clock
   * showed at the latest run (null before the first); and what it shows.
   */
  async readState(nowMs: number) {
    const clockMs = await this.#database.currentTime(nowMs);
    const { asOfMs = null, ranAtMs = null } = (await firstRow(this.#database, findState, {})) ?? {};
    return { recordedMs: asOfMs, ranAtMs, clockMs };
  }

  /** Records where the first run begins, before a clock that nothing bounds stores rows. */
  async recordStart(nowMs: number): Promise<void> {
    await this.#database.run(recordStart, { clock: await this.#database.currentTime(nowMs) });
  }

  async recordState(state: { clockMs: number; recordMs: number }): Promise<void> {
    await this.#database.run(updateState, state);
  }

  /** Deletes the oldest rows of one kind before an instant, as many as one step may. */
  async deleteStep(kind: AgeingKind, instantMs: number): Promise<DeletedStep> {
    if (kind === "pageRequests") {
      return (
        this.#database.partitions?.deleteStep(instantMs) ?? this.#deletePageRequests(instantMs)
      );
    }
    const rows = await this.#database.run(ageing[kind], { instant: instantMs });
    return { rows, isDone: rows < stepRows };
  }

  #deletePageRequests(instantMs: number): Promise<DeletedStep> {
    return this.#database.transaction(async (transaction) => {
      const gone = await transaction.rows(deletePageRequests, { instant: instantMs });
      await markArrivals(
        transaction,
        gone.map(({ arrivedAtMs }) => arrivedAtMs),
      );
      return { rows: gone.length, isDone: gone.length < stepRows };
    });
  }

  /** Makes the partitions of the next days, where the engine has any. */
  async preparePartitions(options: PartitionOptions): Promise<void> {
    const nowMs = await this.#database.currentTime(options.nowMs);
    await this.#database.partitions?.prepare({ ...options, nowMs });
  }
}

/**
 * Deletes what is old in the background: page requests, and what log-ins leave behind (decision
 * 0015). One node at a time does it; none trusts a clock that jumped ahead (decision 0046).
 */
export class Retention {
  readonly #deps: RetentionDeps;
  readonly #job: LeasedJob;
  /** Present as of the latest run, and monotonic time then. */
  #seen: { readonly asOfMs: number; readonly atMs: number } | undefined;
  readonly #facts;

  constructor(deps: RetentionDeps) {
    this.#deps = deps;
    const { lease, after, elapsed } = deps;
    const times = { leaseMs: retentionLeaseMs, firstMs, intervalMs };
    this.#job = new LeasedJob({ ...times, lease, after, elapsed, run: () => this.#run() });
    this.#facts = {
      /** Page requests that were deleted. */
      deletedRows: 0,
      failures: 0,
      /** End of the last run without an error, also of partitions, UTC in milliseconds. */
      succeededAtMs: deps.now(),
      /** Milliseconds that the clock was ahead when the last run did not trust it; else 0. */
      clockAheadMs: 0,
    };
  }

  /** Counts of what was done since the job was made. */
  readonly facts = () => ({ ...this.#facts });

  /** Runs soon, and then every hour until it is stopped. */
  start(): void {
    this.#job.start();
  }

  /** Runs no more; resolves once a run that has begun has ended its present step. */
  stop(): Promise<void> {
    return this.#job.stop();
  }

  async #run(): Promise<void> {
    const { now, log } = this.#deps;
    this.#facts.clockAheadMs = 0;
    try {
      // Where another node has the lease, that one deletes.
      const isWhole = !(await this.#job.acquire()) || (await this.#runLeased());
      if (isWhole) this.#facts.succeededAtMs = now();
      else this.#facts.failures += 1;
    } catch (cause) {
      this.#facts.failures += 1;
      // Nothing is lost by it: the next run finds the same rows.
      log.retentionFailed(cause);
    }
  }

  /** Resolves to false where the partitions of the next days could not be made. */
  async #runLeased(): Promise<boolean> {
    const { log } = this.#deps;
    try {
      const isPrepared = await this.#preparePartitions();
      const { asOfMs, aheadMs, isFirst } = await this.#findPresent();
      this.#facts.clockAheadMs = aheadMs;
      if (aheadMs > 0) log.retentionClockAhead(aheadMs);
      // A new database knows no time but that of the clock.
      if (isFirst) return isPrepared;
      const deletedBefore = this.#facts.deletedRows;
      await this.#deleteOld(asOfMs);
      const deleted = this.#facts.deletedRows - deletedBefore;
      if (deleted > 0) log.retentionDone(deleted);
      return isPrepared;
    } finally {
      await this.#job.release();
    }
  }

  /** Makes the partitions of the next days; a failure does not keep old rows. */
  async #preparePartitions(): Promise<boolean> {
    const { queries, days, now, log } = this.#deps;
    try {
      await queries.preparePartitions({ nowMs: now(), retentionDays: days, isStart: false });
      return true;
    } catch (cause) {
      log.partitionsFailed(cause);
      return false;
    }
  }

  /**
   * Finds what to take for the present, and records it. The clock is trusted while it is at most a
   * day ahead of what has surely passed: the recorded instant, and the monotonic time since this
   * process saw it. Where it is not trusted, the monotonic time counts twice, so that a server that
   * was off catches up.
   */
  async #findPresent() {
    const { queries, now, elapsed } = this.#deps;
    const { recordedMs, ranAtMs, clockMs } = await queries.readState(now());
    const seen = this.#seen;
    const passedMs = seen === undefined ? 0 : Math.floor(elapsed() - seen.atMs);
    const provenMs = Math.max(recordedMs ?? clockMs, (seen?.asOfMs ?? 0) + passedMs);
    const aheadMs = clockMs - provenMs > aheadMaxMs ? clockMs - provenMs : 0;
    const asOfMs = aheadMs > 0 ? provenMs + Math.min(passedMs, aheadMs) : clockMs;
    const isFirst = ranAtMs === null;
    // A clock set back is harmless. Before the first run, the stored time cannot be trusted.
    const recordMs = isFirst ? asOfMs : Math.max(asOfMs, provenMs);
    await queries.recordState({ clockMs, recordMs });
    this.#seen = { asOfMs: recordMs, atMs: elapsed() };
    return { asOfMs, aheadMs, isFirst };
  }

  /** Deletes all kinds of old rows. A failure, as beside `pg_dump`, does not keep the others. */
  async #deleteOld(asOfMs: number): Promise<void> {
    const { days } = this.#deps;
    const ages = [
      ["pageRequests", days],
      ["events", days],
      ["endedSessions", sessionDays],
      ["idleSessions", sessionDays],
      ["oldSessions", sessionDays],
      ["counters", counterDays],
      ["usedTickets", ticketDays],
    ] as const;
    const failures: unknown[] = [];
    for (const [kind, ageDays] of ages) {
      if (ageDays === 0) continue;
      await this.#deleteKind(kind, asOfMs - ageDays * dayMs).catch((cause) => failures.push(cause));
    }
    if (failures.length > 0) throw failures[0];
  }

  async #deleteKind(kind: AgeingKind, beforeMs: number): Promise<void> {
    const { queries, elapsed } = this.#deps;
    while (await this.#job.mayGoOn()) {
      const begunAtMs = elapsed();
      const { rows, isDone } = await queries.deleteStep(kind, beforeMs);
      if (kind === "pageRequests") this.#facts.deletedRows += rows;
      if (isDone) return;
      const tookMs = elapsed() - begunAtMs;
      await this.#job.pause(Math.min(tookMs * pausePerStep, pauseMaxMs));
    }
  }
}
