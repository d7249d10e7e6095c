import { join } from "node:path";
import {
  type Measured,
  runOn,
  scratchFolder,
  startOn,
  startProgramOn,
  startServer,
  startWordsOf,
} from "../harness/measured-program.ts";
import { median } from "../harness/tables.ts";
import type { Round } from "./load.ts";
import { type BenchResult, type BenchRow, medianOf } from "./results.ts";
import { loadCore, type Plan, serverCore } from "./rounds.ts";

/** The rate of the goal: at most 1 ms more at p50, and 3 ms at p99. */
const connections = 10;
const perSecondOfEach = 100;
/** Time until the compilers have what they need, in milliseconds. */
const warmUpMs = 10_000;
const names = {
  direct: "straight to the server",
  plain: "through the plainest proxy",
  recorded: "through wfh migrate record",
} as const;

/**
 * Measures 1,000 calls a second straight to a server, through a recorder in front of it on the same
 * core, and through the plainest proxy in its place.
 */
export async function benchRecord(plan: Plan): Promise<BenchResult> {
  const direct = await startServer(serverCore);
  const output = join(scratchFolder(), "recording.ndjson");
  const words = [process.execPath, ...startWordsOf().slice(0, -1), "migrate", "record"];
  const more = ["--to", direct.url, "--listen", "127.0.0.1:0", "--output", output];
  const plain = await startOn(serverCore, ["quality/bench/plain-proxy.ts", direct.url]);
  const recorded = await startProgramOn(serverCore, [...words, ...more]);
  const ways = { direct, plain, recorded };
  const rows: BenchRow[] = [];
  const notes = ["Ratios are of p99."];
  for (const work of ["soap11", "json", "page-requests-json"]) {
    for (const one of Object.values(ways)) {
      await load(one, work, warmUpMs * (plan.warmUpShare ?? 1));
    }
    const before = recorded.cpuSeconds();
    const rounds: Readonly<Record<keyof typeof ways, Round>>[] = [];
    for (let round = 0; round < plan.rounds; round += 1) {
      rounds.push({
        direct: await load(direct, work, plan.roundMs),
        plain: await load(plain, work, plan.roundMs),
        recorded: await load(recorded, work, plan.roundMs),
      });
    }
    const cpu = recorded.cpuSeconds() - before;
    const calls = rounds.reduce((sum, one) => sum + one.recorded.responses, 0);
    notes.push(`${work}: the recorder takes ${((cpu / calls) * 1_000_000).toFixed(0)} µs a call.`);
    for (const way of ["direct", "plain", "recorded"] as const) {
      const own = rounds.map((one) => one[way]);
      const perSecond = median(own.map(({ requestsPerSecond }) => requestsPerSecond));
      const ratio = median(rounds.map((one) => one[way].p99Ms / one.direct.p99Ms));
      rows.push({ what: `${work}, ${names[way]}`, perSecond, ratio, ...medianOf(own) });
    }
  }
  for (const one of [recorded, plain, direct]) one.stop();
  return { rows, notes };
}

async function load({ url }: Measured, work: string, forMs: number): Promise<Round> {
  const settleMs = 500;
  const numbers = [forMs, connections, settleMs, perSecondOfEach].map(String);
  return JSON.parse(
    await runOn(loadCore, ["quality/bench/load.ts", url, work, ...numbers]),
  ) as Round;
}
