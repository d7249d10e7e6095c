import type pg from "pg";
import { markDays } from "../changed-days.ts";
import type { DeletedStep, PartitionOptions, Partitions } from "../sql.ts";
import { createPool, query, transact } from "./connection.ts";

const dayMs = 86_400_000;
/** Days ahead with partitions: a clock may be so far ahead, and retention fail for so long. */
const daysAhead = 7;
/** The same beside a large default partition, all of which is read for it. */
const daysAheadOfMany = 31;
/** Most partitions, about: a query of all of them locks each with its indexes. */
const partitionsMax = 400;
/** Partitions that one transaction makes, with some ten locks each of 6,400 by default. */
const partitionsAtOnce = 50;
/** Days of a partition where page requests are kept for ever. */
const daysOfEndless = 30;
/** Largest default partition that is read while it is locked, in bytes: some milliseconds. */
const lockedBytesMax = 8_388_608;
/** Rows of the default partition that one transaction deletes: others go on meanwhile. */
const stepRows = 1_000;
/** Longest wait for a lock, and statement with one, in milliseconds: page requests wait 2 s. */
const lockMs = 500;
const lockedMs = 1_000;
/** Any number, as long as no other program takes the same for its locks. */
const partitionLock = 7_231_056;
/** Says while it is there that the default partition has no rows of the days to come. */
const check = "page_requests_default_before";

/** A span of arrival times, UTC in milliseconds, the first inclusive, the second not. */
interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

interface Partition extends Span {
  readonly name: string;
  /** Rows by the statistics of the server; negative before the first ones. */
  readonly estimatedRows: number;
}

/** Attached partitions of page requests, without the default one. */
async function listPartitions(client: pg.Pool | pg.ClientBase): Promise<readonly Partition[]> {
  const { rows } = await query<{ name: string; bounds: string; estimate: number }>(
    client,
    `select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bounds, c.reltuples as estimate
      from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = to_regclass('page_requests')`,
  );
  return rows
    .flatMap(({ name, bounds, estimate }) => {
      const [, from, to] = /FROM \('?(-?\d+)'?\) TO \('?(-?\d+)'?\)/.exec(bounds) ?? [];
      return from === undefined || to === undefined
        ? []
        : [{ name, fromMs: Number(from), toMs: Number(to), estimatedRows: estimate }];
    })
    .toSorted((a, b) => a.fromMs - b.fromMs);
}

/** Spans from one instant to another that have no partition, cut where a partition ends. */
function findGaps(partitions: readonly Span[], { fromMs, toMs }: Span, days: number): Span[] {
  const gaps: Span[] = [];
  let startMs = Math.floor(fromMs / dayMs) * dayMs;
  while (startMs < toMs) {
    const at = startMs;
    const covering = partitions.find((one) => one.fromMs <= at && at < one.toMs);
    const next = partitions.find((one) => one.fromMs > at);
    const length = days * dayMs;
    const endMs = (Math.floor(at / length) + 1) * length;
    const end = covering?.toMs ?? Math.min(endMs, next?.fromMs ?? endMs);
    if (covering === undefined) gaps.push({ fromMs: at, toMs: end });
    startMs = end;
  }
  return gaps;
}

/** Days of a partition, so that there are never too many. */
function daysOf(retentionDays: number): number {
  return retentionDays === 0 ? daysOfEndless : Math.ceil(retentionDays / partitionsMax);
}

/** Looks into the default partition; null without one, while an operator repairs something. */
async function inspectDefault(client: pg.Pool | pg.ClientBase) {
  const { rows } = await query<{ bytes: bigint | null; is_checked: boolean }>(
    client,
    `select pg_relation_size(d.oid) as bytes,
        exists (select from pg_constraint where conrelid = d.oid and conname = '${check}') as is_checked
      from pg_class p left join pg_class d on d.oid = to_regclass('page_requests_default')
      where p.oid = to_regclass('page_requests') and p.relkind = 'p'`,
  );
  const [found] = rows;
  if (found === undefined || found.bytes === null) return null;
  return { isLarge: found.bytes > lockedBytesMax, isChecked: found.is_checked };
}

/** Spans of which the default partition has no rows: one with rows stays there. */
async function withoutRows(client: pg.ClientBase, spans: readonly Span[]): Promise<Span[]> {
  const { rows } = await query<{ index: number }>(client, {
    text: `select (number - 1)::int as index from unnest($1::bigint[], $2::bigint[]) with ordinality as spans(from_ms, to_ms, number)
      where not exists (
        select from page_requests_default where arrived_at >= from_ms and arrived_at < to_ms)`,
    values: [spans.map(({ fromMs }) => fromMs), spans.map(({ toMs }) => toMs)],
  });
  const free = new Set(rows.map(({ index }) => index));
  return spans.filter((_, i) => free.has(i));
}

async function attach(client: pg.ClientBase, spans: readonly Span[]): Promise<void> {
  for (const { fromMs, toMs } of spans) {
    const day = new Date(fromMs).toISOString().slice(0, 10).replaceAll("-", "");
    const name = `page_requests_${day}`;
    await query(
      client,
      `create table ${name} (like page_requests including defaults including indexes);
      alter table ${name} add constraint ${name}_pkey primary key (id);
      alter table page_requests attach partition ${name} for values from (${fromMs}) to (${toMs})`,
    );
  }
}

async function dropCheck(client: pg.ClientBase): Promise<void> {
  await query(client, `alter table page_requests_default drop constraint if exists ${check}`);
}

/** Deletes the oldest rows of the default partition, and marks their days; resolves to how many. */
async function deleteOldest(client: pg.ClientBase, values: number[]): Promise<number> {
  const { rows } = await query<{ day: number; rows: number }>(client, {
    text: `with gone as (delete from page_requests_default where id in (
        select id from page_requests_default where arrived_at < $1 order by arrived_at limit $2)
      returning arrived_at)
      select floor(arrived_at / ${dayMs}.0)::int as day, count(*)::int as rows from gone group by day`,
    values,
  });
  for (const { day } of rows) await mark(client, day, day + 1);
  return rows.reduce((sum, each) => sum + each.rows, 0);
}

/** Marks days, the first inclusive, the last not. */
async function mark(client: pg.ClientBase, fromDay: number, toDay: number): Promise<void> {
  const days = Array.from({ length: toDay - fromDay }, (_, i) => fromDay + i);
  await query(client, { text: markDays.postgres, values: [days] });
}

/** Runs work over the pool that there is now. */
type UsingPool = <Result>(work: (pool: pg.Pool) => Promise<Result>) => Promise<Result>;

/** Partitions of page requests by their arrival (decision 0069). */
export class PageRequestPartitions implements Partitions {
  readonly #url: string;
  readonly #using: UsingPool;

  /** @param using runs short work over a pool; what may take long has its own connections. */
  constructor(url: string, using: UsingPool) {
    this.#url = url;
    this.#using = using;
  }

  async prepare({ nowMs, retentionDays, isStart, oldestMs }: PartitionOptions): Promise<void> {
    const found = await this.#using(inspectDefault);
    if (found === null) return;
    // It is left by a node that died, and refuses rows once its days have come.
    if (found.isChecked) await this.#change(dropCheck);
    const days = daysOf(retentionDays);
    const earliestMs = Math.max(oldestMs ?? nowMs, nowMs - partitionsMax * days * dayMs);
    const span = { fromMs: Math.min(nowMs, earliestMs), toMs: nowMs + daysAhead * dayMs };
    if (findGaps(await this.#using(listPartitions), span, days).length === 0) return;
    if (found.isLarge) {
      if (!isStart) await this.#prepareBeside(nowMs, days);
      return;
    }
    const stepMs = partitionsAtOnce * days * dayMs;
    for (let { fromMs } = span; fromMs < span.toMs; fromMs += stepMs) {
      const part = { fromMs, toMs: Math.min(fromMs + stepMs, span.toMs) };
      await this.#change(async (client) => {
        // Another node may have been faster.
        const gaps = findGaps(await listPartitions(client), part, days);
        await attach(client, await withoutRows(client, gaps));
      });
    }
  }

  /**
   * Makes partitions beside a large default partition, in which PostgreSQL looks for their rows:
   * under a lock, unless a valid constraint says so. Validating one blocks no reads and writes.
   * Until then the default refuses rows of those days, the first at least a day from now.
   */
  async #prepareBeside(nowMs: number, days: number): Promise<void> {
    let spans: readonly Span[] = [];
    await this.#change(async (client) => {
      const ahead = { fromMs: nowMs + 2 * dayMs, toMs: nowMs + daysAheadOfMany * dayMs };
      const gaps = findGaps(await listPartitions(client), ahead, days);
      const free = await withoutRows(client, gaps);
      // Not for one more day at the end of the month.
      if (!free.some(({ fromMs }) => fromMs < nowMs + daysAhead * dayMs)) return;
      spans = free;
      const isOutside = spans.map(
        ({ fromMs, toMs }) => `(arrived_at < ${fromMs} or arrived_at >= ${toMs})`,
      );
      await query(
        client,
        `alter table page_requests_default add constraint ${check} check (${isOutside.join(" and ")}) not valid`,
      );
    });
    if (spans.length === 0) return;
    const validate = `alter table page_requests_default validate constraint ${check}`;
    try {
      await this.#change(async (client) => void (await query(client, validate)), null);
      await this.#change((client) => attach(client, spans));
    } finally {
      await this.#change(dropCheck);
    }
  }

  async deleteStep(instantMs: number): Promise<DeletedStep> {
    const partitions = await this.#using(listPartitions);
    const [oldest] = partitions.filter(({ toMs }) => toMs <= instantMs);
    if (oldest !== undefined) return this.#drop(oldest);
    // What has begun to age within a partition goes with all of it.
    const current = partitions.find(({ fromMs, toMs }) => fromMs <= instantMs && instantMs < toMs);
    const values = [current?.fromMs ?? instantMs, stepRows];
    const rows = await this.#using((pool) =>
      transact(pool, (client) => deleteOldest(client, values)),
    );
    const text = `delete from page_request_keys where (form_id, event_key) in (
        select form_id, event_key from page_request_keys
        where arrived_at < $1 order by arrived_at limit $2)`;
    const { rowCount } = await this.#using((pool) => query(pool, { text, values }));
    return { rows, isDone: rows < stepRows && (rowCount ?? 0) < stepRows };
  }

  /** Drops a partition. Rows without statistics are counted, as 0 if that takes too long. */
  async #drop({ name, estimatedRows, fromMs, toMs }: Partition): Promise<DeletedStep> {
    const countRows = async () => {
      const { rows } = await this.#using((pool) =>
        query<{ count: number }>(pool, `select count(*)::float8 from ${name}`),
      );
      return rows[0]?.count ?? 0;
    };
    const rows = estimatedRows < 0 ? await countRows().catch(() => 0) : Math.round(estimatedRows);
    const isDropped = await this.#change(async (client) => {
      // First, so that page requests do not wait for its lock too.
      await mark(client, fromMs / dayMs, toMs / dayMs);
      await query(client, `drop table ${name}`);
    });
    return isDropped ? { rows, isDone: false } : { rows: 0, isDone: true };
  }

  /**
   * Runs a transaction that changes partitions; nothing while another node is at it. It has limits
   * of time, because page requests wait for its locks, and its own connections: those of the others
   * have a limit on both sides.
   */
  async #change(
    work: (client: pg.ClientBase) => Promise<void>,
    statementMs: number | null = lockedMs,
  ): Promise<boolean> {
    const pool = createPool(this.#url, "change");
    try {
      return await transact(pool, async (client) => {
        await query(client, `set local lock_timeout = ${lockMs}`);
        await query(client, `set local statement_timeout = ${statementMs ?? 0}`);
        const { rows } = await query<{ is_ours: boolean }>(
          client,
          `select pg_try_advisory_xact_lock(${partitionLock}) as is_ours`,
        );
        if (rows[0]?.is_ours !== true) return false;
        await work(client);
        return true;
      });
    } finally {
      await pool.end();
    }
  }
}
