import { prepareLogIns } from "./log-in-database.ts";
import { startLogInServer } from "./log-in-server.ts";
import { logInWork } from "./log-in-work.ts";
import { type Measured, runOn } from "./processes.ts";
import type { RawRound } from "./raw-hashes.ts";
import { median, renderMarkdown } from "./results.ts";
import { load, type Plan, type Sample } from "./rounds.ts";

/** Connections that log in at the same time. */
const connectionCounts = [16, 32] as const;
/** Time for the compilers of the server to settle, in milliseconds: a log-in becomes cheaper for the first two thousand of them. */
const warmUpMs = 15_000;

/** Neighbouring rounds of hashes alone and of log-ins. */
interface Pair {
  readonly raw: RawRound;
  readonly ours: Sample;
}

/** Log-ins with right passwords beside nothing but their hashes, in interleaved rounds; both have all cores. */
export async function benchLogInRate(plan: Plan): Promise<string> {
  const server = await startLogInServer(await prepareLogIns());
  await load(server, "log-ins-json", warmUpMs, { core: "any" });
  const rows: string[][] = [];
  for (const [work, binding] of Object.entries(logInWork)) {
    for (const connections of connectionCounts) {
      const pairs: Pair[] = [];
      for (let round = 0; round < plan.rounds; round += 1) {
        pairs.push(await measure(server, work, { connections, roundMs: plan.roundMs }));
        process.stderr.write(`\r${work} ${connections}: round ${round + 1} of ${plan.rounds}   `);
      }
      process.stderr.write("\n");
      rows.push([binding, String(connections), ...figuresOf(pairs), server.peakMb().toFixed(0)]);
    }
  }
  server.stop();
  return renderMarkdown([heading, ...rows]);
}

async function measure(
  server: Measured,
  work: string,
  { connections, roundMs }: { readonly connections: number; readonly roundMs: number },
): Promise<Pair> {
  const raw = JSON.parse(await runOn("any", ["bench/raw-hashes.ts", String(roundMs)])) as RawRound;
  const ours = await load(server, work, roundMs, { connections, core: "any" });
  return { raw, ours };
}

const heading = [
  ...["binding", "connections", "hashes/s", "log-ins/s", "min–max", "ratio"],
  ...["hashes/cpu-s", "log-ins/cpu-s", "ratio", "p50 ms", "p99 ms", "peak MB"],
];

function figuresOf(pairs: readonly Pair[]): string[] {
  const of = (figure: (pair: Pair) => number) => median(pairs.map(figure));
  const rates = pairs.map(({ ours }) => ours.requestsPerSecond);
  return [
    of(({ raw }) => raw.hashesPerSecond).toFixed(1),
    median(rates).toFixed(1),
    `${Math.min(...rates).toFixed(1)}–${Math.max(...rates).toFixed(1)}`,
    of(({ raw, ours }) => ours.requestsPerSecond / raw.hashesPerSecond).toFixed(2),
    of(({ raw }) => raw.hashesPerCpuSecond).toFixed(1),
    of(({ ours }) => ours.perCpuSecond).toFixed(1),
    of(({ raw, ours }) => ours.perCpuSecond / raw.hashesPerCpuSecond).toFixed(2),
    of(({ ours }) => ours.p50Ms).toFixed(0),
    of(({ ours }) => ours.p99Ms).toFixed(0),
  ];
}
