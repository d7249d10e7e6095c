import { type Kysely, sql } from "kysely";
import type { Tables } from "./schema.ts";

/** Rows of one transaction: a few milliseconds, after which page requests have their turn. */
const stepRows = 1_000;
const dayMs = 86_400_000;
/** Age in days beyond which sessions that ended or ran out are deleted: until then people can look into what happened. */
const sessionDays = 30;
/** Age in days beyond which attempts are forgotten: far longer than any rule asks for. */
const counterDays = 90;
/** Time until the first run and between two, in milliseconds. */
const firstMs = 60_000;
const intervalMs = 3_600_000;

/** What the retention job has done since it was made. */
interface RetentionFacts {
  /** Page requests that were deleted. */
  readonly deletedRows: number;
  readonly failures: number;
  /** When the last run ended that met no error, UTC in milliseconds; before the first one, when the job was made. */
  readonly succeededAtMs: number;
}

/** What the retention job is made of. */
export interface RetentionParts {
  readonly database: Kysely<Tables>;
  /** Age in days beyond which page requests and events of log-ins are deleted; 0 keeps them for ever. */
  readonly days: number;
  readonly now: () => number;
  /** Runs something later; the function that is returned calls it off. */
  readonly after: (delayMs: number, run: () => void) => () => void;
  /** Called with the number of page requests that a run has deleted, if any. */
  readonly done: (deletedRows: number) => void;
  readonly failed: (cause: unknown) => void;
}

/** Deletes what is old in the background: page requests, and what log-ins leave behind. */
export interface Retention {
  /** Runs soon, and then every hour until it is stopped. */
  start(): void;
  /** Runs no more; resolves once a run that has begun has ended, which it does after its present step. */
  stop(): Promise<void>;
  readonly facts: () => RetentionFacts;
  /** Deletes all page requests older than an instant (UTC, milliseconds) and resolves to how many there were. */
  deleteOlderThan(instantMs: number): Promise<number>;
  /** Age in milliseconds by which the oldest page request is older than it should be; 0 when none is. */
  findLagMs(): Promise<number>;
}

/** Rows that are old by the time in one of their columns, which has an index. */
interface Ageing {
  readonly table: keyof Tables;
  readonly key: string;
  readonly column: string;
}

const pageRequests: Ageing = { table: "page_requests", key: "id", column: "arrived_at" };
const events: Ageing = { table: "log_in_events", key: "id", column: "at" };
const counters: Ageing = { table: "log_in_counters", key: "key", column: "latest_at" };
const sessions: readonly Ageing[] = ["ended_at", "idle_until", "absolute_until"].map((column) => ({
  table: "sessions",
  key: "id",
  column,
}));

/** Makes the retention job of a store (decision 0015). */
export function createRetention(parts: RetentionParts): Retention {
  const { database, days, now, after } = parts;
  const limitMs = (age: number) => now() - age * dayMs;
  const facts = { deletedRows: 0, failures: 0, succeededAtMs: now() };
  let callOff = () => {};
  let isStopped = false;
  let running: Promise<void> = Promise.resolve();

  async function deleteOld(ageing: Ageing, instantMs: number): Promise<number> {
    let total = 0;
    while (!isStopped) {
      const deleted = await deleteStep(database, ageing, instantMs);
      total += deleted;
      if (ageing === pageRequests) facts.deletedRows += deleted;
      if (deleted < stepRows) break;
    }
    return total;
  }
  async function deleteAll(): Promise<void> {
    if (days > 0) {
      const deleted = await deleteOld(pageRequests, limitMs(days));
      if (deleted > 0) parts.done(deleted);
      await deleteOld(events, limitMs(days));
    }
    for (const ageing of sessions) await deleteOld(ageing, limitMs(sessionDays));
    await deleteOld(counters, limitMs(counterDays));
  }
  async function run(): Promise<void> {
    try {
      await deleteAll();
      facts.succeededAtMs = now();
    } catch (cause) {
      facts.failures += 1;
      // Nothing is lost by it: the next run finds the same rows.
      parts.failed(cause);
    }
    if (!isStopped) schedule(intervalMs);
  }
  function schedule(delayMs: number): void {
    callOff = after(delayMs, () => {
      running = run();
    });
  }
  return {
    start: () => schedule(firstMs),
    stop: async () => {
      isStopped = true;
      callOff();
      await running;
    },
    facts: () => ({ ...facts }),
    deleteOlderThan: (instantMs) => deleteOld(pageRequests, instantMs),
    findLagMs: async () => {
      const oldest = days > 0 ? await findOldest(database) : null;
      return oldest === null ? 0 : Math.max(0, limitMs(days) - oldest);
    },
  };
}

async function deleteStep(
  database: Kysely<Tables>,
  ageing: Ageing,
  instantMs: number,
): Promise<number> {
  const [table, key, column] = [
    sql.table(ageing.table),
    sql.ref(ageing.key),
    sql.ref(ageing.column),
  ];
  const { numAffectedRows } = await sql`
    delete from ${table} where ${key} in (
      select ${key} from ${table} where ${column} < ${BigInt(instantMs)}
      order by ${column} limit ${sql.lit(stepRows)})`.execute(database);
  return Number(numAffectedRows ?? 0n);
}

async function findOldest(database: Kysely<Tables>): Promise<number | null> {
  const { oldest } = await database
    .selectFrom("page_requests")
    .select(({ fn }) => fn.min("arrived_at").as("oldest"))
    .executeTakeFirstOrThrow();
  return oldest === null ? null : Number(oldest);
}
