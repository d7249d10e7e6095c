import { baseFolder, type Measured, runOn } from "../harness/measured-program.ts";
import { median, renderMarkdown } from "../harness/tables.ts";
import { prepareLogIns, startLogInServer } from "./log-in-database.ts";
import type { RawRound } from "./raw-hashes.ts";
import { load, type Plan, type Sample, spread } from "./rounds.ts";
import { logInWork } from "./workload.ts";

/** Connections that log in at the same time. */
const connectionCounts = [16, 32] as const;
/** Warm-up of the server, in milliseconds: its first two thousand log-ins get ever cheaper. */
const warmUpMs = 15_000;

/** Neighbouring rounds of hashes alone and of log-ins. */
interface Pair {
  readonly raw: RawRound;
  readonly logIns: Sample;
}

/** Measures log-ins beside their bare hashes, in interleaved rounds; both have all cores. */
export async function benchLogInRate(plan: Plan): Promise<string> {
  const servers = await startServers();
  for (const server of servers.values()) {
    await load(server, "log-ins-json", warmUpMs, { core: "any" });
  }
  const rows: string[][] = [];
  for (const [work, binding] of Object.entries(logInWork)) {
    for (const connections of connectionCounts) {
      const pairs = new Map<string, Pair[]>([...servers.keys()].map((name) => [name, []]));
      for (let round = 0; round < plan.rounds; round += 1) {
        for (const [name, server] of servers) {
          pairs.get(name)?.push(await measure(server, work, { ...plan, connections }));
        }
        process.stderr.write(`\r${work} ${connections}: round ${round + 1} of ${plan.rounds}   `);
      }
      process.stderr.write("\n");
      const rowOf = ([name, own]: [string, Pair[]]) => {
        const peakMb = servers.get(name)?.peakMb().toFixed(0) ?? "";
        return [name, binding, String(connections), ...cellsOf(own), peakMb];
      };
      rows.push(...[...pairs].map(rowOf));
    }
  }
  for (const server of servers.values()) server.stop();
  return renderMarkdown([heading, ...rows]);
}

async function startServers(): Promise<ReadonlyMap<string, Measured>> {
  const ours = await startLogInServer(await prepareLogIns());
  if (baseFolder === undefined) return new Map([["web-forms-helper", ours]]);
  const base = await startLogInServer(await prepareLogIns(), {}, baseFolder);
  return new Map([
    ["base", base],
    ["web-forms-helper", ours],
  ]);
}

async function measure(
  server: Measured,
  work: string,
  { connections, roundMs }: { readonly connections: number; readonly roundMs: number },
): Promise<Pair> {
  const raw = JSON.parse(
    await runOn("any", ["quality/bench/raw-hashes.ts", String(roundMs)]),
  ) as RawRound;
  return { raw, logIns: await load(server, work, roundMs, { connections, core: "any" }) };
}

const heading = [
  "server",
  "binding",
  "connections",
  "hashes/s",
  "log-ins/s",
  "min–max",
  "ratio",
  "hashes/cpu-s",
  "log-ins/cpu-s",
  "ratio",
  "p50 ms",
  "p99 ms",
  "peak MB",
];

function cellsOf(pairs: readonly Pair[]): string[] {
  const of = (value: (pair: Pair) => number) => median(pairs.map(value));
  const rates = pairs.map(({ logIns }) => logIns.requestsPerSecond);
  return [
    of(({ raw }) => raw.hashesPerSecond).toFixed(1),
    median(rates).toFixed(1),
    spread(rates, 1),
    of(({ raw, logIns }) => logIns.requestsPerSecond / raw.hashesPerSecond).toFixed(2),
    of(({ raw }) => raw.hashesPerCpuSecond).toFixed(1),
    of(({ logIns }) => logIns.perCpuSecond).toFixed(1),
    of(({ raw, logIns }) => logIns.perCpuSecond / raw.hashesPerCpuSecond).toFixed(2),
    of(({ logIns }) => logIns.p50Ms).toFixed(0),
    of(({ logIns }) => logIns.p99Ms).toFixed(0),
  ];
}
