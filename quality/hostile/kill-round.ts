import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { TestDatabase } from "../../test/store/engines.ts";
import { openTestStore } from "../../test/store/sample.ts";

const appender = fileURLToPath(new URL("./appender.ts", import.meta.url));
/** Page requests on their way at the same time. */
const inFlight = 32;

/** What one round of killing is made of. */
export interface KillRound {
  readonly database: TestDatabase;
  /** Begins every id of this round. */
  readonly prefix: string;
  /** The process is killed when it has acknowledged so many. */
  readonly killAfter: number;
  /** `lazy` acknowledges before anything is stored. */
  readonly mode: "honest" | "lazy";
}

/** What was found afterwards. */
export interface KillFinding {
  readonly acknowledged: number;
  /** Acknowledged and not stored. */
  readonly lost: number;
  readonly duplicates: number;
  /** Stored and never sent. */
  readonly phantoms: number;
}

/** Starts a process that appends without a pause, kills its whole group under load, and looks at what is stored. */
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

async function appendUntilKilled({ database, prefix, killAfter, mode }: KillRound) {
  const words = [appender, database.url, prefix, String(inFlight), mode];
  const child = spawn(process.execPath, words, {
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  const acknowledged: string[] = [];
  let isKilled = false;
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged.push(line);
    if (isKilled || acknowledged.length < killAfter || child.pid === undefined) continue;
    isKilled = true;
    process.kill(-child.pid, "SIGKILL");
  }
  const [, signal] = await ended;
  if (signal !== "SIGKILL") throw new Error(`The process ended by itself, by ${signal}`);
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
