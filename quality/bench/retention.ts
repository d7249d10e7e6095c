import { loadavg } from "node:os";
import { DatabaseSync } from "node:sqlite";
import { openAdmin } from "@wfh/server/store/admin/open-admin.ts";
import { scratchDatabase } from "../harness/measured-program.ts";
import { median, renderMarkdown } from "../harness/tables.ts";
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
import { spread } from "./rounds.ts";

/** Deletes all rows of a SQLite file in so many runs, the oldest share first. */
async function benchSqlite({ rounds, rows }: RetentionPlan): Promise<string> {
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
  const found: {
    quiet: number[];
    meanwhile: number[];
    after: number[];
    perSecond: number;
    refused: number;
  }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const { senders, quietMs, beganMs, endedMs } = await watchRun(url, rounds - round);
    const percentiles = (fromMs: number, toMs: number) =>
      [0.5, 0.99].map((part) =>
        median(senders.windows(fromMs, toMs).map((of) => of[Math.floor(of.length * part)] ?? 0)),
      );
    found.push({
      quiet: percentiles(quietMs, beganMs - pollMs),
      meanwhile: percentiles(beganMs, endedMs - pollMs),
      after: percentiles(endedMs, endedMs + afterMs),
      perSecond: share / ((endedMs - beganMs) / 1_000),
      refused: senders.refused,
    });
    process.stderr.write(`SQLite, round ${round + 1}: ${JSON.stringify(found.at(-1))}\n`);
  }
  const cellsOf = (name: "quiet" | "meanwhile" | "after") =>
    [0, 1].flatMap((at) => {
      const values = found.map((one) => one[name][at] ?? 0);
      return [median(values).toFixed(2), spread(values, 2)];
    });
  const ratio = median(found.map(({ quiet, meanwhile }) => (meanwhile[1] ?? 0) / (quiet[1] ?? 0)));
  const refused = found.reduce((sum, one) => sum + one.refused, 0);
  const perSecond = median(found.map((one) => one.perSecond));
  return `${renderMarkdown([
    ["SQLite", "p50 ms", "min–max", "p99 ms", "min–max"],
    ...(["quiet", "meanwhile", "after"] as const).map((name) => [name, ...cellsOf(name)]),
  ])}\n\n${share * rounds} rows in ${rounds} runs, ${perSecond.toFixed(0)} a second; p99 meanwhile / quiet: ${ratio.toFixed(2)}; page requests refused: ${refused}.`;
}

/**
 * Measures retention beside page requests of 8 senders without pauses; each run has a new server on
 * all cores: SQLite deletes rows in steps, PostgreSQL drops the partition of a day, one of 40.
 */
export async function benchRetention(plan: RetentionPlan): Promise<string> {
  const sqlite = await benchSqlite(plan);
  const postgres = await benchPostgres(plan);
  const loads = loadavg().map((load) => load.toFixed(1));
  return `${sqlite}\n\n${postgres}\n\nLoad average at the end: ${loads.join(", ")}.`;
}
