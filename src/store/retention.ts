import type { Kysely } from "kysely";
import type { Tables } from "./schema.ts";

/** Rows of one transaction: a few milliseconds, after which page requests have their turn. */
const stepRows = 1_000;
const dayMs = 86_400_000;
/** Time until the first run and between two, in milliseconds. */
const firstMs = 60_000;
const intervalMs = 3_600_000;

/** What the retention job is made of. */
export interface RetentionParts {
  readonly database: Kysely<Tables>;
  /** Age in days beyond which page requests are deleted; 0 keeps them for ever. */
  readonly days: number;
  readonly now: () => number;
  /** Runs something later; the function that is returned calls it off. */
  readonly after: (delayMs: number, run: () => void) => () => void;
  readonly done: (deletedRows: number) => void;
  readonly failed: (cause: unknown) => void;
}

/** Deletes old page requests in the background. */
export interface Retention {
  /** Runs soon, and then every hour until it is stopped. */
  start(): void;
  /** Runs no more; resolves once a run that has begun has ended, which it does after its present step. */
  stop(): Promise<void>;
  /** Deletes everything older than an instant (UTC, milliseconds) and resolves to how many rows there were. */
  deleteOlderThan(instantMs: number): Promise<number>;
  /** Age in milliseconds by which the oldest page request is older than it should be; 0 when none is. */
  findLagMs(): Promise<number>;
}

/** Makes the retention job of a store (decision 0015). */
export function createRetention(parts: RetentionParts): Retention {
  const { database, days, now, after } = parts;
  const limitMs = () => now() - days * dayMs;
  let callOff = () => {};
  let isStopped = false;
  let running: Promise<void> = Promise.resolve();

  async function deleteOlderThan(instantMs: number): Promise<number> {
    let total = 0;
    while (!isStopped) {
      const deleted = await deleteStep(database, instantMs);
      total += deleted;
      if (deleted < stepRows) break;
    }
    return total;
  }
  async function run(): Promise<void> {
    try {
      const deleted = await deleteOlderThan(limitMs());
      if (deleted > 0) parts.done(deleted);
    } catch (cause) {
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
    start: () => {
      if (days > 0) schedule(firstMs);
    },
    stop: async () => {
      isStopped = true;
      callOff();
      await running;
    },
    deleteOlderThan,
    findLagMs: async () => {
      const oldest = days > 0 ? await findOldest(database) : null;
      return oldest === null ? 0 : Math.max(0, limitMs() - oldest);
    },
  };
}

async function deleteStep(database: Kysely<Tables>, instantMs: number): Promise<number> {
  const { numDeletedRows } = await database
    .deleteFrom("page_requests")
    .where("id", "in", (old) =>
      old
        .selectFrom("page_requests")
        .select("id")
        .where("arrived_at", "<", BigInt(instantMs))
        .orderBy("arrived_at")
        .orderBy("id")
        .limit(stepRows),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

async function findOldest(database: Kysely<Tables>): Promise<number | null> {
  const { oldest } = await database
    .selectFrom("page_requests")
    .select(({ fn }) => fn.min("arrived_at").as("oldest"))
    .executeTakeFirstOrThrow();
  return oldest === null ? null : Number(oldest);
}
