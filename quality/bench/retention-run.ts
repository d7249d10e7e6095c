import { setTimeout as pause } from "node:timers/promises";
import { KeepAliveClient } from "../harness/keep-alive-client.ts";
import { startServer } from "../harness/measured-program.ts";
import { workOf } from "./workload.ts";

/** A day in milliseconds. */
export const dayMs = 86_400_000;
const senderCount = 8;
/** Time until the compilers have settled, in milliseconds. */
const warmUpMs = 10_000;
/** Time under load after a run, in milliseconds. */
export const afterMs = 10_000;
/** Length of the spans that percentiles are of, in milliseconds. */
const windowMs = 2_000;
/** Time between two looks at how far a run has come, in milliseconds. */
export const pollMs = 500;

/** Amount and interval of deletions. */
export interface RetentionPlan {
  readonly rounds: number;
  /** Of SQLite, all of which are deleted: a share in each round. */
  readonly rows: number;
  /** Of PostgreSQL, of which one day is deleted in each round. */
  readonly rowsOfDay: number;
}

/** The columns of {@link rowOf}. */
export const columns = "id, request_id, arrived_at, form_id, page_url, network";

/** Columns to select from numbers `i` from 1, in both engines, for rows of a span of arrivals. */
export function rowOf(firstId: number, fromMs: number, stepMs: number): string {
  return `${firstId} + i, 'r-' || i, ${fromMs} + cast(i * ${stepMs} as bigint), i % 50,
    'https://forms.example.org/apply/step-' || (i % 100), '192.0.2.0'`;
}

/** Records an earlier run of retention: a first one would delete nothing (decision 0046). */
export function recordRun(): string {
  return `update retention_state set ran_at = ${Date.now()}, as_of = ${Date.now()}`;
}

/** Calls of senders without pauses: end and duration of each, in milliseconds. */
export class Senders {
  readonly #endedAt: number[] = [];
  readonly #took: number[] = [];
  /** Calls that were not stored, as a database that is overloaded makes them. */
  refused = 0;
  /** Rejects when a connection fails; resolves once they have stopped. */
  readonly ended: Promise<unknown>;
  #isOver = false;

  constructor(url: string) {
    const loops = Array.from({ length: senderCount }, (_, i) => this.#send(url, i * 31));
    this.ended = Promise.all(loops);
  }

  /** Sorted times of the calls of each window that lies between two instants. */
  windows(fromMs: number, toMs: number, lengthMs = windowMs): readonly (readonly number[])[] {
    const found = Array.from(
      { length: Math.floor((toMs - fromMs) / lengthMs) },
      (): number[] => [],
    );
    for (const [i, endedMs] of this.#endedAt.entries()) {
      found[Math.floor((endedMs - fromMs) / lengthMs)]?.push(this.#took[i] ?? 0);
    }
    return found.map((times) => times.sort((a, b) => a - b));
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.ended;
  }

  async #send(url: string, first: number): Promise<void> {
    const work = workOf("page-requests-json");
    const connection = new KeepAliveClient(url);
    for (let i = first; !this.#isOver; i += 1) {
      const { request = Buffer.of() } = work[i % work.length] ?? {};
      const { status, ms } = await connection.call(request);
      if (status !== 200) {
        this.refused += 1;
        await pause(pollMs);
        continue;
      }
      this.#endedAt.push(performance.now());
      this.#took.push(ms);
    }
    connection.close();
  }
}

/** A run of retention under load; times are of `performance.now()`, in milliseconds. */
export interface Run {
  readonly senders: Senders;
  readonly quietMs: number;
  readonly beganMs: number;
  readonly endedMs: number;
}

/** Starts a server, and loads it until shortly after its first retention run, a minute later. */
export async function watchRun(url: string, retentionDays: number): Promise<Run> {
  const settings = {
    WFH_DATABASE_URL: url,
    WFH_PAGE_REQUEST_RETENTION: String(retentionDays),
    WFH_METRICS: "on",
  };
  const server = await startServer("any", settings);
  while ((await fetch(`${server.url}/readyz`)).status !== 200) await pause(pollMs);
  const senders = new Senders(server.url);
  const quietMs = performance.now() + warmUpMs;
  const read = async () => {
    const text = await (await fetch(`${server.url}/metrics`)).text();
    const readMetric = (name: string) => Number(new RegExp(`^${name} (.*)$`, "m").exec(text)?.[1]);
    const succeededAt = readMetric("wfh_retention_success_timestamp_seconds");
    return { deleted: readMetric("wfh_retention_deleted_rows_total"), succeededAt };
  };
  const { succeededAt } = await read();
  let beganMs = 0;
  let endedMs = 0;
  while (endedMs === 0) {
    await Promise.race([pause(pollMs), senders.ended]);
    const now = await read();
    if (beganMs === 0 && now.deleted > 0) beganMs = performance.now();
    if (now.succeededAt !== succeededAt) endedMs = performance.now();
  }
  await pause(afterMs);
  await senders.stop();
  server.stop();
  return { senders, quietMs, beganMs, endedMs };
}
