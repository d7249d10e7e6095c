import type { Round } from "./load.ts";
import { type Core, type Measured, runOn } from "./processes.ts";
import { median } from "./results.ts";

/** How long and how often each server is loaded. */
export interface Plan {
  readonly rounds: number;
  readonly roundMs: number;
  /** Requests in flight, each on a connection of its own; as many as usual where it is not given. */
  readonly connections?: number;
}

/** A round with the work it cost. */
export interface Sample extends Round {
  readonly perCpuSecond: number;
}

/** One of the servers that are compared. */
export interface Contender {
  readonly name: string;
  readonly server: Measured;
  /** Asks it for a few answers after a round, counted from 0, and throws when one is wrong. */
  readonly check?: (round: number) => Promise<void>;
}

/** Core of the servers and core of the load. */
export const serverCore = 0;
/** As {@link serverCore}. */
export const loadCore = 1;

/** Time for the compilers of both processes to settle before the first round, in milliseconds. */
const warmUpMs = 3_000;

/** Heading of the rows of {@link compare}. */
export const heading = [
  ...["work", "server", "req/s", "min–max", "ratio", "req/cpu-s", "ratio"],
  ...["p50 ms", "p99 ms", "peak MB"],
];

/** Loads servers in interleaved rounds; a row for each, with its ratios to the first. */
export async function compare(
  work: string,
  contenders: readonly Contender[],
  plan: Plan,
): Promise<string[][]> {
  const samples = new Map<Contender, Sample[]>(contenders.map((contender) => [contender, []]));
  const { connections } = plan;
  const shape = connections === undefined ? {} : { connections };
  for (const { server } of contenders) await load(server, work, warmUpMs, shape);
  for (let round = 0; round < plan.rounds; round += 1) {
    for (const contender of contenders) {
      samples.get(contender)?.push(await load(contender.server, work, plan.roundMs, shape));
      await contender.check?.(round);
    }
    process.stderr.write(`\r${work}: round ${round + 1} of ${plan.rounds}   `);
  }
  process.stderr.write("\n");
  const [limit = []] = samples.values();
  return [...samples].map(([contender, own]) => rowOf(work, contender, own, limit));
}

/** What load is put on a server, other than the usual. */
export interface LoadShape {
  readonly connections?: number;
  /** Time under load before anything is timed, in milliseconds; only with `connections`. */
  readonly settleMs?: number;
  readonly core?: Core;
  /** Told the process of the load. */
  readonly begun?: (pid: string) => void;
}

/** Loads a server once; gives what `bench/load.ts` measured, with the cpu time of the server. */
export async function load(
  server: Measured,
  work: string,
  forMs: number,
  { connections, settleMs = 0, core = loadCore, begun }: LoadShape = {},
): Promise<Sample> {
  const before = server.cpuSeconds();
  const words = ["bench/load.ts", server.url, work, String(forMs)];
  if (connections !== undefined) words.push(String(connections), String(settleMs));
  const printed = await runOn(core, words, begun);
  const round = JSON.parse(printed) as Round;
  return { ...round, perCpuSecond: round.answers / (server.cpuSeconds() - before) };
}

function rowOf(
  work: string,
  { name, server }: Contender,
  own: readonly Sample[],
  limit: readonly Sample[],
): string[] {
  const figures = (of: (sample: Sample) => number) => own.map(of);
  const ratio = (of: (sample: Sample) => number) =>
    median(own.flatMap((sample, i) => of(sample) / of(limit[i] ?? sample))).toFixed(2);
  const rates = figures(({ requestsPerSecond }) => requestsPerSecond);
  return [
    work,
    name,
    median(rates).toFixed(0),
    `${Math.min(...rates).toFixed(0)}–${Math.max(...rates).toFixed(0)}`,
    ratio(({ requestsPerSecond }) => requestsPerSecond),
    median(figures(({ perCpuSecond }) => perCpuSecond)).toFixed(0),
    ratio(({ perCpuSecond }) => perCpuSecond),
    median(figures(({ p50Ms }) => p50Ms)).toFixed(2),
    median(figures(({ p99Ms }) => p99Ms)).toFixed(2),
    server.peakMb().toFixed(0),
  ];
}
