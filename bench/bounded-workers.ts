import { type CpuShare, makeCpuShare } from "./cpu-share.ts";
import { type Measured, startOn, startWords } from "./processes.ts";
import { median, renderMarkdown } from "./results.ts";
import { load, type Plan, type Sample } from "./rounds.ts";
import { scratchDatabase } from "./scratch.ts";

/** Part of one core that each process has which answers: two of them leave most of two cores to the load. */
const share = 0.2;
const works = ["soap11", "http-get", "json"] as const;
/** Connections of the load: enough for each worker to have several. */
const connections = 64;
/** Time for the workers to even out their connections, in milliseconds. */
const settleMs = 1_500;
/** Time for the compilers to settle with each work, in milliseconds, before shares are bounded: they would have the same small ones. */
const warmUpMs = 3_000;

interface Bounded {
  readonly count: number;
  readonly server: Measured;
  /** Processes that answer. */
  readonly workers: readonly string[];
}

interface Filled extends Sample {
  /** Part of its shares that the server used up; near 1, the load was not what held it back. */
  readonly used: number;
}

/** Makes control groups, and removes all of them. */
interface Groups {
  make(share: number | null): CpuShare;
  remove(): Promise<void>;
}

const heading = [
  ...["work", "workers", "req/s", "min–max", "ratio", "min–max", "share used", "p50 ms", "p99 ms"],
];

/**
 * One worker beside two where each has the same bounded share of a core, in interleaved rounds: as if each had a small core of its own,
 * which no load on the same machine can take from it. Gives undefined where shares cannot be bounded.
 */
export async function benchBoundedWorkers(plan: Plan): Promise<string | undefined> {
  const groups = openGroups();
  if (groups === undefined) return undefined;
  const rest = groups.make(null);
  const servers = [await start(1, groups, rest), await start(2, groups, rest)];
  const rows: string[][] = [];
  for (const work of works) {
    const samples = new Map<Bounded, Filled[]>(servers.map((bounded) => [bounded, []]));
    for (let round = 0; round < plan.rounds; round += 1) {
      for (const [bounded, own] of samples) {
        own.push(await loadBounded(bounded, work, { forMs: plan.roundMs, rest }));
      }
      process.stderr.write(`\rbounded, ${work}: round ${round + 1} of ${plan.rounds}   `);
    }
    process.stderr.write("\n");
    const [first = []] = samples.values();
    for (const [{ count }, own] of samples)
      rows.push([work, String(count), ...figuresOf(own, first)]);
  }
  for (const { server } of servers) server.stop();
  await groups.remove();
  return renderMarkdown([heading, ...rows]);
}

/** Said below the table. */
export const boundedNote =
  `Each process that answers has a control group (cgroup) of its own with at most ${share} of a core, in periods of 10 ms. The load (one process, ${connections} connections), on the same machine, has what is left, and so has ` +
  "the first process of two workers, which takes no connection. All of them go before what else the machine does. " +
  "Where the share is used up, the rate is that of the workers and not that of the load; a ratio above 2 is the unrest of the machine.";

/** Undefined where there can be none. */
function openGroups(): Groups | undefined {
  const all: CpuShare[] = [];
  const make = (bound: number | null) => {
    const group = makeCpuShare(bound);
    if (group === undefined) throw new Error("There was one control group, and no more");
    all.push(group);
    return group;
  };
  const remove = async () => {
    for (const group of all) await group.remove();
  };
  const first = makeCpuShare(share);
  if (first === undefined) return undefined;
  all.push(first);
  return { make, remove };
}

async function start(count: number, groups: Groups, rest: CpuShare): Promise<Bounded> {
  const server = await startOn("any", startWords, {
    WFH_PORT: "0",
    WFH_DATABASE_URL: scratchDatabase(),
    WFH_WORKERS: String(count),
  });
  const [first = "", ...others] = server.pids();
  const workers = count === 1 ? [first] : others;
  rest.add(first);
  for (const work of works) await load(server, work, warmUpMs, { connections, core: "any" });
  for (const pid of workers) groups.make(share).add(pid);
  return { count, server, workers };
}

interface Loading {
  readonly forMs: number;
  readonly rest: CpuShare;
}

async function loadBounded(
  { server, count, workers }: Bounded,
  work: string,
  { forMs, rest }: Loading,
): Promise<Filled> {
  const before = server.cpuSeconds(workers);
  const begun = (pid: string) => rest.add(pid);
  const shape = { connections, settleMs, core: "any", begun } as const;
  const sample = await load(server, work, forMs, shape);
  const most = sample.seconds * share * count;
  return { ...sample, used: (server.cpuSeconds(workers) - before) / most };
}

/** Medians, and medians of the ratios to one worker in the same round. */
function figuresOf(own: readonly Filled[], one: readonly Filled[]): string[] {
  const rates = own.map(({ requestsPerSecond }) => requestsPerSecond);
  const ratios = rates.map((rate, i) => rate / (one[i]?.requestsPerSecond ?? Number.NaN));
  const spread = (values: readonly number[], digits: number) =>
    `${Math.min(...values).toFixed(digits)}–${Math.max(...values).toFixed(digits)}`;
  return [
    ...[median(rates).toFixed(0), spread(rates, 0), median(ratios).toFixed(2), spread(ratios, 2)],
    median(own.map(({ used }) => used)).toFixed(2),
    median(own.map(({ p50Ms }) => p50Ms)).toFixed(2),
    median(own.map(({ p99Ms }) => p99Ms)).toFixed(2),
  ];
}
