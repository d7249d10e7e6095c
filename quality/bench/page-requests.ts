import { startPostgres } from "@wfh/server/test/store/postgres-server.ts";
import { KeepAliveClient } from "../harness/keep-alive-client.ts";
import {
  runOn,
  scratchDatabase,
  scratchFolder,
  startOn,
  startServer,
  startWordsOf,
} from "../harness/measured-program.ts";
import { median } from "../harness/tables.ts";
import type { Round } from "./load.ts";
import { type BenchResult, type BenchRow, medianOf, type Times } from "./results.ts";
import { type Contender, compare, load, loadCore, type Plan, serverCore } from "./rounds.ts";
import { pageRequestWork, workOf } from "./workload.ts";

/** Memory of the server's young generation as `npm start` sets it. */
const nodeFlags = startWordsOf().filter((word) => word.startsWith("--"));

/** Connections of the second rounds: as many callers as fill large batches. */
const manyConnections = 128;

/**
 * Measures page requests, acknowledged once on disk, beside a bare node:http server that sends as
 * many bytes, the plainest one that also stores them, and our server with a store that keeps
 * nothing and one with a transaction for each. Excludes the CPU time of PostgreSQL.
 */
export async function benchPageRequests(plan: Plan): Promise<BenchResult> {
  const postgres = await startPostgres(scratchFolder());
  const program = [...nodeFlags, "quality/bench/page-request-server.ts"];
  const sqlite = { name: "SQLite", server: await startServer(serverCore) };
  const contenders: Contender[] = [
    { name: "keeps nothing", server: await startOn(serverCore, [...program, "nothing"]) },
    sqlite,
  ];
  if (typeof postgres !== "string") {
    const server = await startServer(serverCore, { WFH_DATABASE_URL: postgres.url });
    contenders.push({ name: "PostgreSQL", server });
  }
  const file = scratchDatabase().slice("sqlite:".length);
  const oneByOne = await startOn(serverCore, [...program, "one-by-one", file]);
  contenders.push({ name: "one by one", server: oneByOne });
  const rows: BenchRow[] = [];
  const rowsOfMany: BenchRow[] = [];
  for (const work of Object.keys(pageRequestWork)) {
    const limits = await startLimits(sqlite.server.url, work);
    rows.push(...(await compare(work, [...limits, ...contenders], plan)));
    const many = { ...plan, connections: manyConnections };
    rowsOfMany.push(...(await compare(work, [...limits, sqlite], many)));
    for (const { server } of limits) server.stop();
  }
  for (const { server } of contenders) server.stop();
  if (typeof postgres !== "string") await postgres.close();
  const notes = typeof postgres === "string" ? [postgres] : [];
  return { rows: [...rows, ...rowsOfMany], notes };
}

/** Starts the limits of a workload, without and with a disk: they send as many bytes. */
async function startLimits(url: string, work: string): Promise<readonly Contender[]> {
  const [first] = workOf(work);
  if (first === undefined) throw new Error(`There is no work of the name ${work}`);
  const connection = new KeepAliveClient(url);
  const { status, head, body } = await connection.call(first.request);
  connection.close();
  const contentType = /^Content-Type: (.*)$/im.exec(head)?.[1] ?? "";
  if (status !== 200) throw new Error(`${work} has status ${status}: ${body}`);
  const response = [contentType, String(body.length)];
  const file = scratchDatabase().slice("sqlite:".length);
  const program = ["quality/bench/reference-server.ts", ...response];
  return [
    { name: "bare node:http", server: await startOn(serverCore, program) },
    { name: "node:http + SQLite", server: await startOn(serverCore, [...program, file]) },
  ];
}

/** Latency of look-ups alone, and beside as many page requests as the server takes. */
export async function benchBystander(plan: Plan): Promise<BenchResult> {
  const server = await startServer(serverCore);
  const quiet: Times[] = [];
  const busy: Times[] = [];
  await load(server, "soap11", plan.roundMs);
  await load(server, "page-requests-json", plan.roundMs);
  for (let round = 0; round < plan.rounds; round += 1) {
    quiet.push(await load(server, "soap11", plan.roundMs));
    const words = [
      "quality/bench/load.ts",
      server.url,
      "page-requests-json",
      String(plan.roundMs + 1_000),
    ];
    const logging = runOn(loadCore, words);
    busy.push(await load(server, "soap11", plan.roundMs));
    const { requestsPerSecond } = JSON.parse(await logging) as Round;
    process.stderr.write(
      `\rround ${round + 1}: ${requestsPerSecond.toFixed(0)} page requests/s   `,
    );
  }
  process.stderr.write("\n");
  server.stop();
  const rows = [
    { what: "look-ups alone", ...medianOf(quiet) },
    {
      what: "look-ups beside page requests",
      ...medianOf(busy),
      ratio: median(busy.map(({ p99Ms }, i) => p99Ms / (quiet[i]?.p99Ms ?? Number.NaN))),
    },
  ];
  return { rows, notes: ["The ratio is of p99."] };
}
