import { type Core, type Measured, runOn } from "../harness/measured-program.ts";
import { median } from "../harness/tables.ts";
import type { Round } from "./load.ts";

/** A benchmark cannot run on this machine; the message says what it needs. */
export class CannotMeasure extends Error {}

/** Load on a server that differs from the usual. */
export interface LoadShape {
  /** Requests in flight, each on a connection of its own. */
  readonly connections?: number;
  /** Time under load before anything is timed, in milliseconds. */
  readonly settleMs?: number;
  readonly core?: Core;
}

/** Duration and number of each server's rounds. */
export interface Plan extends LoadShape {
  readonly rounds: number;
  readonly roundMs: number;
}

/** A round with the work it cost. */
export interface Sample extends Round {
  readonly perCpuSecond: number;
}

/** One of the servers that are compared. */
export interface Contender {
  readonly name: string;
  readonly server: Measured;
  /** Its work, where that is not the same for all. */
  readonly work?: string;
  /** Checks a few responses after a round, counted from 0, and throws when one is wrong. */
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
  "work",
  "server",
  "req/s",
  "min–max",
  "ratio",
  "req/cpu-s",
  "ratio",
  "p50 ms",
  "p99 ms",
  "peak MB",
];

/** Loads servers in interleaved rounds; a row for each, with its ratios to the first. */
export async function compare(
  work: string,
  contenders: readonly Contender[],
  plan: Plan,
): Promise<string[][]> {
  const samples = new Map<Contender, Sample[]>(contenders.map((contender) => [contender, []]));
  for (const { server, work: own = work } of contenders) await load(server, own, warmUpMs, plan);
  for (let round = 0; round < plan.rounds; round += 1) {
    for (const contender of contenders) {
      samples
        .get(contender)
        ?.push(await load(contender.server, contender.work ?? work, plan.roundMs, plan));
      await contender.check?.(round);
    }
    process.stderr.write(`\r${work}: round ${round + 1} of ${plan.rounds}   `);
  }
  process.stderr.write("\n");
  const [first = []] = samples.values();
  return [...samples].map(([{ name, server }, own]) => [
    work,
    name,
    ...rowOf(own, first),
    server.peakMb().toFixed(0),
  ]);
}

/** Loads a server once; gives what `bench/load.ts` measured, with the cpu time of the server. */
export async function load(
  server: Measured,
  work: string,
  forMs: number,
  { connections, settleMs = 0, core = loadCore }: LoadShape = {},
): Promise<Sample> {
  const before = server.cpuSeconds();
  const words = ["quality/bench/load.ts", server.url, work, String(forMs)];
  if (connections !== undefined) words.push(String(connections), String(settleMs));
  const round = JSON.parse(await runOn(core, words)) as Round;
  return { ...round, perCpuSecond: round.responses / (server.cpuSeconds() - before) };
}

function rowOf(own: readonly Sample[], first: readonly Sample[]): string[] {
  const middle = (of: (sample: Sample) => number) => median(own.map(of));
  const ratio = (of: (sample: Sample) => number) =>
    median(own.map((sample, i) => of(sample) / of(first[i] ?? sample))).toFixed(2);
  const rate = ({ requestsPerSecond }: Sample) => requestsPerSecond;
  const perCpu = ({ perCpuSecond }: Sample) => perCpuSecond;
  return [
    middle(rate).toFixed(0),
    spread(own.map(rate), 0),
    ratio(rate),
    middle(perCpu).toFixed(0),
    ratio(perCpu),
    middle(({ p50Ms }) => p50Ms).toFixed(2),
    middle(({ p99Ms }) => p99Ms).toFixed(2),
  ];
}

/** The smallest and the largest of some values. */
export function spread(values: readonly number[], digits: number): string {
  return `${Math.min(...values).toFixed(digits)}–${Math.max(...values).toFixed(digits)}`;
}
