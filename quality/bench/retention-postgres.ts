import { execFileSync } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { openAdmin } from "@wfh/server/store/admin/open-admin.ts";
import { createPool } from "@wfh/server/store/postgres/connection.ts";
import { PageRequestPartitions } from "@wfh/server/store/postgres/partitions.ts";
import { startPostgres } from "@wfh/server/test/store/postgres-server.ts";
import pg from "pg";
import { scratchFolder } from "../harness/measured-program.ts";
import { type BenchResult, timesOf } from "./results.ts";
import { columns, dayMs, type RetentionPlan, recordRun, rowOf, watchRun } from "./retention-run.ts";

/** Partitions of the table, one for each day. */
const days = 8;

/** Longest start of a server, in milliseconds. */
const startMs = 30_000;

/** A transaction that dropped a partition: last sight, duration, and wait for locks in it. */
interface Drop {
  readonly seenMs: number;
  readonly ms: number;
  readonly waitMs: number;
}

/** Polls every few milliseconds for the longest transaction of a run, which drops a partition. */
async function watchDrop(client: pg.Client, run: AbortSignal): Promise<Drop> {
  // The commit removes the files, and may outlast the statement. Inserts send no commit.
  const find = `select wait_event_type = 'Lock' as waits,
      extract(epoch from clock_timestamp() - xact_start)::float8 * 1000 as ms
    from pg_stat_activity where xact_start is not null and state = 'active'
      and (query = 'commit' or query like 'drop table page_requests_%')
    order by xact_start limit 1`;
  let drop: Drop = { seenMs: 0, ms: 0, waitMs: 0 };
  // The start of the server has transactions of its own. The run comes a minute after it.
  await pause(startMs);
  while (!run.aborted) {
    const [row] = (await client.query(find)).rows;
    if (row?.ms > drop.ms) {
      const { ms } = row;
      drop = { seenMs: performance.now(), ms, waitMs: row.waits === true ? ms : drop.waitMs };
    }
    await pause(5);
  }
  return drop;
}

/** Fills the table with days, without the disk syncs and log of an operator's server. */
async function fillPostgres(url: string, rowsOfDay: number): Promise<void> {
  const clients = await Promise.all([connect(url), connect(url)]);
  const [client] = clients;
  const { rows } = await client.query(`select relname as name from pg_class
    where relname ~ '^page_requests_\\d+$' and relkind = 'r' order by 1 limit ${days}`);
  const parts = rows.entries();
  const stepMs = (dayMs - 1) / rowsOfDay;
  const fill = async (own: pg.Client) => {
    for (const [i, { name }] of parts) {
      const text = String(name)
        .slice(-8)
        .replace(/(....)(..)(..)/, "$1-$2-$3");
      const row = rowOf(i * rowsOfDay, Date.parse(text), stepMs);
      // What is new in a transaction is not written to the log.
      await own.query(`begin; truncate ${name};
        insert into ${name} (${columns}) select ${row} from generate_series(1, ${rowsOfDay}) i;
        commit`);
      await own.query(`analyze ${name}`);
      process.stderr.write(`\rPostgreSQL: ${i + 1} of ${days} days   `);
    }
  };
  await Promise.all(clients.map(fill));
  await client.query(recordRun());
  await client.query(`select setval('page_request_ids', ${days * rowsOfDay + 1})`);
  await Promise.all(clients.map((each) => each.end()));
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  // What is under way rejects as well. An error without a listener would leave the data behind.
  client.on("error", () => {});
  await client.connect();
  return client;
}

/** Drops the oldest days of many, one in each run. */
export async function benchPostgres({ rounds, rowsOfDay }: RetentionPlan): Promise<BenchResult> {
  const postgres = await startPostgres(scratchFolder());
  if (typeof postgres === "string") return { rows: [], notes: [postgres] };
  const { url, power, close } = postgres;
  if (power === undefined)
    throw new Error("Without WFH_TEST_POSTGRES_URL only: it is reconfigured.");
  const restartWith = async (...settings: readonly string[]) => {
    const client = await connect(url);
    for (const setting of settings) await client.query(`alter system ${setting}`);
    await client.end();
    await power.stop();
    await power.start();
  };
  try {
    await (await openAdmin(url, "write", Date.now)).close();
    const pool = createPool(url, "change");
    const partitions = new PageRequestPartitions(url, (work) => work(pool));
    const firstMs = Math.floor(Date.now() / dayMs - days) * dayMs;
    for (let day = 0; day <= days; day += 7) {
      const nowMs = firstMs + day * dayMs;
      await partitions.prepare({ nowMs, retentionDays: days, isStart: true });
    }
    await pool.end();
    await restartWith(
      "set fsync = off",
      "set wal_level = minimal",
      "set max_wal_senders = 0",
      // A server that is not filled in minutes has done its work days ago.
      "set autovacuum = off",
    );
    await fillPostgres(url, rowsOfDay);
    await restartWith("reset fsync", "reset wal_level", "reset max_wal_senders");
    execFileSync("sync");
    return await dropDays(url, rounds);
  } finally {
    await close();
  }
}

async function dropDays(url: string, rounds: number): Promise<BenchResult> {
  const client = await connect(url);
  const drops: number[] = [];
  const quiet: (readonly number[])[] = [];
  const meanwhile: (readonly number[])[] = [];
  const notes: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const { rows } = await client.query(`select relname as name, reltuples::bigint as rows,
        pg_total_relation_size(oid) / 1000000 as mb from pg_class
      where relname ~ '^page_requests_\\d+$' and relkind = 'r' order by 1 limit 1`);
    const isOver = new AbortController();
    const [{ seenMs, ms, waitMs }, { senders, quietMs, beganMs }] = await Promise.all([
      watchDrop(client, isOver.signal),
      watchRun(url, days - 1 - round).finally(() => isOver.abort()),
    ]);
    const beginMs = seenMs - ms;
    drops.push(ms);
    quiet.push(...senders.windows(quietMs, beganMs - 2_000, 1_000));
    meanwhile.push(...senders.windows(beginMs, beginMs + ms + 1_001, ms + 1_000));
    const [{ name, rows: count, mb }] = rows;
    notes.push(
      `${name} had ${count} rows and ${mb} MB; of its drop ${waitMs.toFixed(0)} ms were for the lock; ${senders.refused} page requests were refused.`,
    );
    process.stderr.write(`PostgreSQL, round ${round + 1}: ${notes.at(-1)}\n`);
  }
  await client.end();
  const quietTimes = timesOf(quiet.flat());
  const busyTimes = timesOf(meanwhile.flat());
  const rows = [
    { what: "PostgreSQL, drop of a partition", ...timesOf(drops), p99Ms: Number.NaN },
    { what: "PostgreSQL, page requests quiet", ...quietTimes },
    {
      what: "PostgreSQL, page requests in the seconds of a drop",
      ...busyTimes,
      ratio: busyTimes.p99Ms / quietTimes.p99Ms,
    },
  ];
  return { rows, notes };
}
