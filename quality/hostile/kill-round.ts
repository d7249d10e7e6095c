import type { TestDatabase } from "@wfh/server/test/store/engines.ts";
import { openTestStore } from "@wfh/server/test/store/sample.ts";
import { startAppender } from "../harness/appender.ts";

/** Page requests on their way at the same time. */
const inFlight = 32;

/** Plan of one round of killing. */
export interface KillRound {
  readonly database: TestDatabase;
  /** Begins every id of this round. */
  readonly prefix: string;
  /** The process is killed when it has acknowledged so many. */
  readonly killAfter: number;
  /** `lazy` acknowledges before anything is stored. */
  readonly mode: "honest" | "lazy";
}

/** Findings after a kill. */
export interface KillFinding {
  readonly acknowledged: number;
  /** Acknowledged and not stored. */
  readonly lost: number;
  readonly duplicates: number;
  /** Stored and never sent. */
  readonly phantoms: number;
}

/** Starts a process that appends without a pause, kills its group, and reads the stored rows. */
export async function killUnderLoad(round: KillRound): Promise<KillFinding> {
  const acknowledged = await appendUntilKilled(round);
  const stored = await listStored(round);
  const distinct = new Set(stored);
  const sentAtMost = acknowledged.length + inFlight;
  return {
    acknowledged: acknowledged.length,
    lost: acknowledged.filter((requestId) => !distinct.has(requestId)).length,
    duplicates: stored.length - distinct.size,
    phantoms: stored.filter((id) => Number(id.slice(round.prefix.length + 1)) > sentAtMost).length,
  };
}

async function appendUntilKilled({ database, killAfter, ...round }: KillRound) {
  const acknowledged: string[] = [];
  const appender = startAppender({ url: database.url, inFlight, ...round }, (requestId) => {
    if (acknowledged.push(requestId) === killAfter) appender.kill();
  });
  await appender.ended;
  return acknowledged;
}

/** Opens the database as a server would, and lists the ids of this round. */
async function listStored({ database, prefix }: KillRound): Promise<readonly string[]> {
  const { store } = await openTestStore(database.url);
  await store.close();
  const rows = await database.query(
    `SELECT request_id FROM page_requests WHERE request_id LIKE '${prefix}-%'`,
  );
  return rows.map((row) => String(row["request_id"]));
}
