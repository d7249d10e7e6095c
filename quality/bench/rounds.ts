import { type Core, type Measured, runOn } from "../harness/measured-program.ts";
import { median } from "../harness/tables.ts";
import type { Round } from "./load.ts";
import { type BenchRow, medianOf } from "./results.ts";

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
  /** Share of the usual warm-ups, for a first impression; default 1. */
  readonly warmUpShare?: number;
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

/** Loads servers in interleaved rounds; a row for each, with its ratios to the first. */
export async function compare(
  work: string,
  contenders: readonly Contender[],
  plan: Plan,
): Promise<readonly BenchRow[]> {
  const samples = new Map<Contender, Sample[]>(contenders.map((contender) => [contender, []]));
  for (const { server, work: own = work } of contenders) {
    await load(server, own, warmUpMs * (plan.warmUpShare ?? 1), plan);
  }
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
  const many = plan.connections === undefined ? "" : ` on ${plan.connections} connections`;
  return [...samples].map(([{ name, server }, own]) => ({
    what: `${work}${many}, ${name}`,
    ...summarize(own, first),
    mb: server.peakMb(),
  }));
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

/** Medians of samples, with the ratios of neighbouring rounds to those of a reference. */
export function summarize(own: readonly Sample[], reference: readonly Sample[]) {
  const middle = (of: (sample: Sample) => number) => median(own.map(of));
  const ratio = (of: (sample: Sample) => number) =>
    median(own.map((sample, i) => of(sample) / of(reference[i] ?? sample)));
  return {
    perSecond: middle(({ requestsPerSecond }) => requestsPerSecond),
    ratio: ratio(({ requestsPerSecond }) => requestsPerSecond),
    ratioByCpu: ratio(({ perCpuSecond }) => perCpuSecond),
    ...medianOf(own),
  };
}
