import { loadavg } from "node:os";
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
import { median, renderMarkdown } from "../harness/tables.ts";
import type { Round } from "./load.ts";
import { loadCore, type Plan, serverCore } from "./rounds.ts";

/** The rate of the goal: at most 1 ms more at p50, and 3 ms at p99. */
const connections = 10;
const perSecondOfEach = 100;

/**
 * Measures 1,000 calls a second straight to a server, through a recorder in front of it on the same
 * core, and through the plainest proxy in its place.
 */
export async function benchRecord(plan: Plan): Promise<string> {
  const direct = await startServer(serverCore);
  const output = join(scratchFolder(), "recording.ndjson");
  const words = [process.execPath, ...startWordsOf().slice(0, -1), "migrate", "record"];
  const more = ["--to", direct.url, "--listen", "127.0.0.1:0", "--output", output];
  const plain = await startOn(serverCore, ["quality/bench/plain-proxy.ts", direct.url]);
  const recorded = await startProgramOn(serverCore, [...words, ...more]);
  const ways = { direct, plain, recorded };
  const rows: string[][] = [];
  for (const work of ["soap11", "json", "page-requests-json"]) {
    // Their compilers have what they need after some ten seconds.
    for (const one of Object.values(ways)) await load(one, work, 3 * plan.roundMs);
    const before = recorded.cpuSeconds();
    const rounds: Readonly<Record<keyof typeof ways, Round>>[] = [];
    for (let round = 0; round < plan.rounds; round += 1) {
      rounds.push({
        direct: await load(direct, work, plan.roundMs),
        plain: await load(plain, work, plan.roundMs),
        recorded: await load(recorded, work, plan.roundMs),
      });
    }
    const middle = (of: (one: (typeof rounds)[number]) => number) =>
      median(rounds.map(of)).toFixed(2);
    const cpu = recorded.cpuSeconds() - before;
    const calls = rounds.reduce((sum, one) => sum + one.recorded.responses, 0);
    rows.push([
      work,
      middle((one) => one.recorded.requestsPerSecond),
      ...(["p50Ms", "p99Ms"] as const).flatMap((time) => [
        middle((one) => one.direct[time]),
        middle((one) => one.plain[time] - one.direct[time]),
        middle((one) => one.recorded[time] - one.direct[time]),
      ]),
      ((cpu / calls) * 1_000_000).toFixed(0),
    ]);
  }
  for (const one of [recorded, plain, direct]) one.stop();
  const times = ["p50", "p99"].flatMap((time) => [
    `${time} direct, ms`,
    "added by a plain proxy",
    "added by the recorder",
  ]);
  const table = [["work", "req/s", ...times, "recorder, µs a call"], ...rows];
  return `${renderMarkdown(table)}\n\nLoad average ${(loadavg()[0] ?? 0).toFixed(1)} at the end.`;
}

async function load({ url }: Measured, work: string, forMs: number): Promise<Round> {
  const settleMs = 500;
  const numbers = [forMs, connections, settleMs, perSecondOfEach].map(String);
  return JSON.parse(
    await runOn(loadCore, ["quality/bench/load.ts", url, work, ...numbers]),
  ) as Round;
}
