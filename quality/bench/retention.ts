import { DatabaseSync } from "node:sqlite";
import { openAdmin } from "@wfh/server/store/admin/open-admin.ts";
import { scratchDatabase } from "../harness/measured-program.ts";
import { median } from "../harness/tables.ts";
import { type BenchResult, medianOf, type Times, timesOf } from "./results.ts";
import { benchPostgres } from "./retention-postgres.ts";
import {
  afterMs,
  columns,
  dayMs,
  pollMs,
  type RetentionPlan,
  recordRun,
  rowOf,
  watchRun,
} from "./retention-run.ts";

/** Deletes all rows of a SQLite file in so many runs, the oldest share first. */
async function benchSqlite({ rounds, rows }: RetentionPlan): Promise<BenchResult> {
  const url = scratchDatabase();
  await (await openAdmin(url, "write", Date.now)).close();
  const database = new DatabaseSync(url.slice("sqlite:".length));
  const nowMs = Date.now();
  const share = Math.ceil(rows / rounds);
  for (let round = 0; round < rounds; round += 1) {
    // In the middle of its day, so that a run deletes all of it and nothing else for some hours.
    const fromMs = nowMs - (rounds - round + 0.75) * dayMs;
    const row = rowOf(round * share, fromMs, dayMs / 2 / share);
    database.exec(`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${share})
      insert into page_requests (${columns}) select ${row} from n`);
  }
  database.exec(recordRun());
  database.close();
  const found: { quiet: Times; meanwhile: Times; after: Times; perSecond: number }[] = [];
  let refused = 0;
  for (let round = 0; round < rounds; round += 1) {
    const { senders, quietMs, beganMs, endedMs } = await watchRun(url, rounds - round);
    const within = (fromMs: number, toMs: number) =>
      medianOf(senders.windows(fromMs, toMs).map(timesOf));
    found.push({
      quiet: within(quietMs, beganMs - pollMs),
      meanwhile: within(beganMs, endedMs - pollMs),
      after: within(endedMs, endedMs + afterMs),
      perSecond: share / ((endedMs - beganMs) / 1_000),
    });
    refused += senders.refused;
    process.stderr.write(`SQLite, round ${round + 1}: ${JSON.stringify(found.at(-1))}\n`);
  }
  const rowsOfTimes = (["quiet", "meanwhile", "after"] as const).map((name) => ({
    what: `SQLite, page requests ${name}`,
    ratio: median(found.map((one) => one[name].p99Ms / one.quiet.p99Ms)),
    ...medianOf(found.map((one) => one[name])),
  }));
  const perSecond = median(found.map((one) => one.perSecond));
  return {
    rows: [...rowsOfTimes, { what: `SQLite, deletions of ${share} rows`, perSecond }],
    notes: [`SQLite refused ${refused} page requests.`],
  };
}

/**
 * Measures retention beside page requests of 8 senders without pauses; each run has a new server on
 * all cores: SQLite deletes rows in steps, PostgreSQL drops the partition of a day.
 */
export async function benchRetention(plan: RetentionPlan): Promise<BenchResult> {
  const sqlite = await benchSqlite(plan);
  const postgres = await benchPostgres(plan);
  return {
    rows: [...sqlite.rows, ...postgres.rows],
    notes: ["Ratios are of p99.", ...(sqlite.notes ?? []), ...(postgres.notes ?? [])],
  };
}
