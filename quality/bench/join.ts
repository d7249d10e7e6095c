import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { startPostgres } from "@wfh/server/test/store/postgres-server.ts";
import { KeepAliveClient } from "../harness/keep-alive-client.ts";
import { scratchFolder, startServer } from "../harness/measured-program.ts";
import { callWhile } from "./paced-calls.ts";
import { type BenchResult, timesOf } from "./results.ts";
import { workOf } from "./workload.ts";

const warmUpMs = 3_000;
/** Time without a second node in each round, in milliseconds: about as long as a join. */
const aloneMs = 1_000;
const works = { "look-ups": "look-ups-checked", "page requests": "page-requests-json" } as const;

/** Time from a start to the first right response and to readiness, in milliseconds. */
interface Join {
  readonly responseMs: number;
  readonly readyMs: number;
}

/**
 * Starts a second node on PostgreSQL again and again, beside calls of the first.
 *
 * @throws {Error} without PostgreSQL.
 */
export async function benchJoin(rounds: number): Promise<BenchResult> {
  const postgres = await startPostgres(scratchFolder());
  if (typeof postgres === "string") throw new Error(postgres);
  const environment = {
    WFH_DATABASE_URL: postgres.url,
    WFH_SECRET_KEYS: randomBytes(32).toString("base64url"),
  };
  const { url, stop } = await startServer("any", environment);
  const callBoth = (work: Promise<unknown>) =>
    Promise.all(Object.values(works).map((name) => callWhile(url, name, work)));
  await callBoth(pause(warmUpMs));
  const joins: Join[] = [];
  const alone: (readonly number[])[][] = [];
  const beside: typeof alone = [];
  for (let round = 1; round <= rounds; round += 1) {
    alone.push(await callBoth(pause(aloneMs)));
    beside.push(await callBoth(join(environment).then((one) => joins.push(one))));
    process.stderr.write(`\rround ${round} of ${rounds}   `);
  }
  stop();
  await postgres.close();
  const rowsOfWork = Object.keys(works).flatMap((name, at) => {
    const [quiet, busy] = [alone, beside].map((all) =>
      timesOf(all.flatMap((one) => one[at] ?? [])),
    );
    return [
      { what: `${name} of the first node, alone`, ...quiet },
      {
        what: `${name} of the first node, while the second joins`,
        ...busy,
        ratio: (busy?.p99Ms ?? Number.NaN) / (quiet?.p99Ms ?? Number.NaN),
      },
    ];
  });
  const rowOf = (what: string, of: (join: Join) => number) => ({ what, ...timesOf(joins.map(of)) });
  const rows = [
    rowOf("second node, start to first right response", ({ responseMs }) => responseMs),
    rowOf("second node, start to 200 of /readyz", ({ readyMs }) => readyMs),
    ...rowsOfWork,
  ];
  return { rows, notes: ["Ratios are of p99."] };
}

/** Starts a node, and stops it once it is ready. */
async function join(environment: Readonly<Record<string, string>>): Promise<Join> {
  const beganMs = performance.now();
  const { url, stop } = await startServer("any", environment);
  const connection = new KeepAliveClient(url);
  const [call] = workOf("look-ups-checked");
  if (call === undefined) throw new Error("There are no look-ups");
  const waitFor = async (request: Buffer, holds: string) => {
    for (;;) {
      const { status, body } = await connection.call(request);
      if (status === 200 && body.includes(holds)) return performance.now() - beganMs;
      await pause(1);
    }
  };
  const responseMs = await waitFor(call.request, call.holds);
  const readyMs = await waitFor(Buffer.from("GET /readyz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"), "");
  connection.close();
  stop();
  return { responseMs, readyMs };
}
