import { loadavg } from "node:os";
import { join } from "node:path";
import type { Round } from "./load.ts";
import {
  type Measured,
  runOn,
  scratchFolder,
  startProgramOn,
  startServer,
  startWordsOf,
} from "./processes.ts";
import { median, renderMarkdown } from "./results.ts";
import { loadCore, type Plan, serverCore } from "./rounds.ts";

/** The rate of the goal: at most 1 ms more at p50, and 3 ms at p99. */
const connections = 10;
const perSecondOfEach = 100;

/** Calls at 1,000 a second straight to a server, beside calls through a recorder in front of it, which has the core of the server. */
export async function benchRecord(plan: Plan): Promise<string> {
  const server = await startServer(serverCore);
  const output = join(scratchFolder(), "recording.ndjson");
  const words = [process.execPath, ...startWordsOf().slice(0, -1), "migrate", "record"];
  const more = ["--to", server.url, "--listen", "127.0.0.1:0", "--output", output];
  const recorder = await startProgramOn(serverCore, [...words, ...more]);
  const rows: string[][] = [];
  for (const work of ["soap11", "json", "page-requests-json"]) {
    for (const one of [server, recorder]) await load(one, work, plan.roundMs);
    const before = recorder.cpuSeconds();
    const rounds: { direct: Round; recorded: Round }[] = [];
    for (let round = 0; round < plan.rounds; round += 1) {
      const direct = await load(server, work, plan.roundMs);
      rounds.push({ direct, recorded: await load(recorder, work, plan.roundMs) });
    }
    const middle = (of: (one: (typeof rounds)[number]) => number) =>
      median(rounds.map(of)).toFixed(2);
    const cpu = recorder.cpuSeconds() - before;
    const calls = rounds.reduce((sum, { recorded }) => sum + recorded.responses, 0);
    rows.push([
      ...[work, middle(({ recorded }) => recorded.requestsPerSecond)],
      ...[middle(({ direct }) => direct.p50Ms), middle(({ recorded }) => recorded.p50Ms)],
      middle(({ direct, recorded }) => recorded.p50Ms - direct.p50Ms),
      ...[middle(({ direct }) => direct.p99Ms), middle(({ recorded }) => recorded.p99Ms)],
      middle(({ direct, recorded }) => recorded.p99Ms - direct.p99Ms),
      ((cpu / calls) * 1_000_000).toFixed(0),
    ]);
  }
  for (const one of [recorder, server]) one.stop();
  const heading = ["work", "req/s", "p50 direct, ms", "p50 recorded", "added", "p99 direct"];
  const table = [[...heading, "p99 recorded", "added", "recorder, µs a call"], ...rows];
  return `${renderMarkdown(table)}\n\nLoad average ${(loadavg()[0] ?? 0).toFixed(1)} at the end.`;
}

async function load({ url }: Measured, work: string, forMs: number): Promise<Round> {
  const settleMs = 500;
  const numbers = [forMs, connections, settleMs, perSecondOfEach].map(String);
  return JSON.parse(await runOn(loadCore, ["bench/load.ts", url, work, ...numbers])) as Round;
}
