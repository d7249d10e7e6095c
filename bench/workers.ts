import { availableParallelism, loadavg } from "node:os";
import { benchBoundedWorkers, boundedNote } from "./bounded-workers.ts";
import { type Measured, startOn, startWords } from "./processes.ts";
import { median, renderMarkdown } from "./results.ts";
import { load, type Plan, type Sample } from "./rounds.ts";
import { scratchDatabase } from "./scratch.ts";

/** What is asked of them: a look-up in two bindings, and page requests, which all go through one process. */
const works = ["soap11", "http-get", "page-requests-json"] as const;
/** Connections of the load: enough for each worker to have several. */
const connections = 64;
/** Time for the workers to even out their connections, in milliseconds. */
const settleMs = 1_500;

interface Busy extends Sample {
  /** Cores that the server used, on average. */
  readonly cores: number;
}

const heading = [
  ...["work", "workers", "req/s", "ratio", "req/cpu-s", "ratio"],
  ...["cores used", "p50 ms", "p99 ms", "peak MB"],
];

/** Workers with a bounded share of a core each, where this machine can do that, and then as many as there are cores with all of it. */
export async function benchWorkers(plan: Plan): Promise<string> {
  const bounded = await benchBoundedWorkers(plan);
  const shared = await benchUnbounded(plan);
  return bounded === undefined ? shared : `${bounded}\n\n${boundedNote}\n\n${shared}`;
}

/**
 * One process beside two and one per core, in interleaved rounds. The load runs on the same cores and takes its part of them, so
 * the ratio of requests per second is less than what a load from elsewhere would see; requests per cpu second say what a
 * request costs.
 */
async function benchUnbounded(plan: Plan): Promise<string> {
  const counts = [...new Set([1, 2, availableParallelism()])].sort((one, other) => one - other);
  const servers = new Map<number, Measured>();
  for (const count of counts) servers.set(count, await start(count));
  const rows: string[][] = [];
  for (const work of works) {
    const samples = new Map<number, Busy[]>(counts.map((count) => [count, []]));
    for (const server of servers.values()) await loadBusy(server, work, 2_000);
    for (let round = 0; round < plan.rounds; round += 1) {
      for (const [count, server] of servers) {
        samples.get(count)?.push(await loadBusy(server, work, plan.roundMs));
      }
      process.stderr.write(`\r${work}: round ${round + 1} of ${plan.rounds}   `);
    }
    process.stderr.write("\n");
    const [one = []] = samples.values();
    for (const [count, own] of samples) {
      const peakMb = servers.get(count)?.peakMb() ?? Number.NaN;
      rows.push([work, String(count), ...figuresOf(own, one), peakMb.toFixed(0)]);
    }
  }
  for (const server of servers.values()) server.stop();
  const shared = `Server and load (one process, ${connections} connections) share ${availableParallelism()} cores`;
  const [average = 0] = loadavg();
  return `${renderMarkdown([heading, ...rows])}\n\n${shared}; load average ${average.toFixed(1)} at the end.`;
}

function start(count: number): Promise<Measured> {
  return startOn("any", startWords, {
    WFH_PORT: "0",
    WFH_DATABASE_URL: scratchDatabase(),
    WFH_WORKERS: String(count),
  });
}

async function loadBusy(server: Measured, work: string, forMs: number): Promise<Busy> {
  const sample = await load(server, work, forMs, { connections, settleMs, core: "any" });
  return { ...sample, cores: sample.answers / sample.seconds / sample.perCpuSecond };
}

/** Medians, and medians of the ratios to one worker in the same round. */
function figuresOf(own: readonly Busy[], one: readonly Busy[]): string[] {
  const middle = (of: (sample: Busy) => number) => median(own.map(of));
  const ratio = (of: (sample: Busy) => number) =>
    median(own.flatMap((sample, i) => of(sample) / of(one[i] ?? sample))).toFixed(2);
  const rate = ({ requestsPerSecond }: Busy) => requestsPerSecond;
  const perCpu = ({ perCpuSecond }: Busy) => perCpuSecond;
  return [
    ...[middle(rate).toFixed(0), ratio(rate), middle(perCpu).toFixed(0), ratio(perCpu)],
    middle(({ cores }) => cores).toFixed(2),
    middle(({ p50Ms }) => p50Ms).toFixed(2),
    middle(({ p99Ms }) => p99Ms).toFixed(2),
  ];
}
