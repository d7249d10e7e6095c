import { startPostgres } from "../test/store/postgres-server.ts";
import { Connection } from "./connection.ts";
import type { Round } from "./load.ts";
import { type Measured, runOn, startOn, startWords } from "./processes.ts";
import { median, renderMarkdown } from "./results.ts";
import { compare, heading, load, loadCore, type Plan, serverCore } from "./rounds.ts";
import { scratchDatabase } from "./scratch.ts";
import { pageRequestWork, workOf } from "./workload.ts";

/** Memory of the server's young generation as `npm start` sets it. */
const nodeFlags = startWords.filter((word) => word.startsWith("--"));

/**
 * Page requests that are on disk before they are answered, beside a bare node:http server that reads them and answers as many bytes,
 * the same server with a store that keeps nothing and one with a transaction for each. The cpu time of PostgreSQL itself is
 * not counted.
 */
export async function benchPageRequests(plan: Plan): Promise<string> {
  const postgres = await startPostgres();
  const program = [...nodeFlags, "bench/page-request-server.ts"];
  const sqlite = await startServer(scratchDatabase());
  const servers: [string, Measured][] = [
    ["keeps nothing", await startOn(serverCore, [...program, "nothing"])],
    ["SQLite", sqlite],
  ];
  if (typeof postgres !== "string") servers.push(["PostgreSQL", await startServer(postgres.url)]);
  const file = scratchDatabase().slice("sqlite:".length);
  servers.push(["one by one", await startOn(serverCore, [...program, "one-by-one", file])]);
  const contenders = servers.map(([name, server]) => ({ name, server }));
  const rows: string[][] = [];
  for (const work of pageRequestWork) {
    const bare = { name: "bare node:http", server: await startBare(sqlite.url, work) };
    rows.push(...(await compare(work, [bare, ...contenders], plan)));
    bare.server.stop();
  }
  for (const { server } of contenders) server.stop();
  if (typeof postgres !== "string") await postgres.close();
  const note = typeof postgres === "string" ? `\n\n${postgres}` : "";
  return renderMarkdown([heading, ...rows]) + note;
}

/** Starts the limit of a workload, which answers as many bytes as a server does that is asked once. */
async function startBare(url: string, work: string): Promise<Measured> {
  const [first] = workOf(work);
  if (first === undefined) throw new Error(`There is no work of the name ${work}`);
  const connection = new Connection(url);
  const { status, head, body } = await connection.ask(first.request);
  connection.close();
  const contentType = /^Content-Type: (.*)$/im.exec(head)?.[1] ?? "";
  if (status !== 200) throw new Error(`${work} is answered with ${status}: ${body}`);
  return startOn(serverCore, ["bench/bare-server.ts", contentType, String(body.length)]);
}

/** Latency of look-ups alone, and beside as many page requests as the server takes. */
export async function benchBystander(plan: Plan): Promise<string> {
  const server = await startServer(scratchDatabase());
  const quiet: number[] = [];
  const busy: number[] = [];
  await load(server, "soap11", plan.roundMs);
  await load(server, "page-requests-json", plan.roundMs);
  for (let round = 0; round < plan.rounds; round += 1) {
    quiet.push((await load(server, "soap11", plan.roundMs)).p99Ms);
    const words = ["bench/load.ts", server.url, "page-requests-json", String(plan.roundMs + 1_000)];
    const logging = runOn(loadCore, words);
    busy.push((await load(server, "soap11", plan.roundMs)).p99Ms);
    const { requestsPerSecond } = JSON.parse(await logging) as Round;
    process.stderr.write(
      `\rround ${round + 1}: ${requestsPerSecond.toFixed(0)} page requests/s   `,
    );
  }
  process.stderr.write("\n");
  server.stop();
  const ratio = median(busy.map((p99, i) => p99 / (quiet[i] ?? Number.NaN)));
  const cells = [median(quiet).toFixed(2), median(busy).toFixed(2), ratio.toFixed(2)];
  return renderMarkdown([["p99 alone, ms", "p99 beside page requests, ms", "ratio"], cells]);
}

function startServer(databaseUrl: string): Promise<Measured> {
  return startOn(serverCore, startWords, { WFH_PORT: "0", WFH_DATABASE_URL: databaseUrl });
}
