import { baseFolder, type Measured, runOn } from "../harness/measured-program.ts";
import { median } from "../harness/tables.ts";
import { prepareLogIns, startLogInServer } from "./log-in-database.ts";
import type { RawRound } from "./raw-hashes.ts";
import { type BenchResult, type BenchRow, medianOf } from "./results.ts";
import { load, type Plan, type Sample } from "./rounds.ts";
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
export async function benchLogInRate(plan: Plan): Promise<BenchResult> {
  const servers = await startServers();
  for (const server of servers.values()) {
    await load(server, "log-ins-json", warmUpMs * (plan.warmUpShare ?? 1), { core: "any" });
  }
  const rows: BenchRow[] = [];
  for (const work of Object.keys(logInWork) as (keyof typeof logInWork)[]) {
    for (const connections of connectionCounts) {
      rows.push(...(await measureWork(servers, work, { ...plan, connections })));
    }
  }
  for (const server of servers.values()) server.stop();
  const note =
    "Ratios are to password hashes of the same cost in a program that does nothing else.";
  return { rows, notes: [note] };
}

async function measureWork(
  servers: ReadonlyMap<string, Measured>,
  work: keyof typeof logInWork,
  plan: Plan & { readonly connections: number },
): Promise<readonly BenchRow[]> {
  const pairs = new Map<string, Pair[]>([...servers.keys()].map((name) => [name, []]));
  for (let round = 0; round < plan.rounds; round += 1) {
    for (const [name, server] of servers) {
      pairs.get(name)?.push(await measure(server, work, plan));
    }
    process.stderr.write(`\r${work} ${plan.connections}: round ${round + 1} of ${plan.rounds}   `);
  }
  return [...servers].map(([name, server]) => {
    const what = `${logInWork[work]} on ${plan.connections} connections, ${name}`;
    return { what, ...summarizePairs(pairs.get(name) ?? []), mb: server.peakMb() };
  });
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

function summarizePairs(pairs: readonly Pair[]) {
  const of = (value: (pair: Pair) => number) => median(pairs.map(value));
  return {
    perSecond: of(({ logIns }) => logIns.requestsPerSecond),
    ratio: of(({ raw, logIns }) => logIns.requestsPerSecond / raw.hashesPerSecond),
    ratioByCpu: of(({ raw, logIns }) => logIns.perCpuSecond / raw.hashesPerCpuSecond),
    ...medianOf(pairs.map(({ logIns }) => logIns)),
  };
}
