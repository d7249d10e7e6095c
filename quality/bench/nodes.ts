import { loadavg } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { startPostgres } from "@wfh/server/test/store/postgres-server.ts";
import { scratchFolder } from "../harness/measured-program.ts";
import { outputOf } from "../harness/programs.ts";
import { median, renderMarkdown } from "../harness/tables.ts";
import { CpuGroup } from "./cpu-group.ts";
import { prepareLogIns, usualAccounts } from "./log-in-database.ts";
import {
  type CpuTimes,
  cpuBetween,
  type Deployment,
  readCpu,
  startDeployment,
  stopDeployment,
} from "./nodes-deployment.ts";
import { CannotMeasure, load, type Plan, type Sample, spread } from "./rounds.ts";

/** Nodes that serve in turn, always the first ones. */
const nodeCounts = [1, 2, 3] as const;

/**
 * Works of the nodes; each node's share of a core, which leaves the other core time to load three
 * of them; and connections for each node that serves.
 */
const works = {
  soap11: { share: 0.15, connections: 32, warmUpMs: 6_000 },
  "log-ins-json": { share: 0.3, connections: 6, warmUpMs: 20_000 },
  "page-requests-json": { share: 0.15, connections: 32, warmUpMs: 6_000 },
} as const;

/** Time for the pools of connections to fill, in milliseconds. */
const settleMs = 500;
/** Idle time without requests, to measure its cost, in milliseconds. */
const idleMs = 10_000;

/** A round with the processor time of everything in it. */
interface NodesSample extends Sample {
  readonly cpu: CpuTimes;
}

const heading = [
  "work",
  "share of a core",
  "nodes",
  "calls/s",
  "min–max",
  "ratio",
  "nodes, cores",
  "nodes, µs a call",
  "PostgreSQL, µs a call",
  "nginx, µs a call",
  "other core used",
  "p50 ms",
  "p99 ms",
];

/**
 * Measures one, two and three nodes behind nginx on one PostgreSQL, in interleaved rounds. Each
 * node has a share of a core, like a small machine; PostgreSQL, nginx and the load share another.
 *
 * @throws {CannotMeasure} without nginx, PostgreSQL or control groups.
 */
export async function benchNodes(plan: Plan): Promise<string> {
  if (outputOf("nginx", ["-v"]) === undefined) {
    throw new CannotMeasure("There is no nginx: apt-get install nginx");
  }
  // All that is started from here on belongs to it, except for the nodes.
  const others = new CpuGroup();
  others.add(process.pid);
  const postgres = await startPostgres(scratchFolder());
  if (typeof postgres === "string") throw new CannotMeasure(postgres);
  try {
    const deployment = await startDeployment(postgres.url, Math.max(...nodeCounts));
    await prepareLogIns(usualAccounts, postgres.url);
    const idle = await measureIdle(deployment);
    const rows: string[][] = [];
    for (const work of Object.keys(works) as (keyof typeof works)[]) {
      rows.push(...(await measureWork(deployment, work, plan)));
    }
    stopDeployment(deployment);
    const [average = 0] = loadavg();
    const note = `The nodes share a core, each limited to its share of it. PostgreSQL, nginx and the load have the other core, whose use is the sum of theirs.`;
    return `${renderMarkdown([heading, ...rows])}\n\n${note} ${idle} Load average ${average.toFixed(1)} at the end.`;
  } finally {
    await postgres.close();
  }
}

/** Describes the use of all nodes and PostgreSQL without requests, as a sentence. */
async function measureIdle(deployment: Deployment): Promise<string> {
  const before = readCpu(deployment);
  await pause(idleMs);
  const { nodes, postgres } = cpuBetween(before, readCpu(deployment));
  const perMille = (seconds: number) => ((seconds * 1_000_000) / idleMs).toFixed(1);
  return `Idle, all ${deployment.nodes.length} nodes use ${perMille(nodes)} ms of a core per second, and PostgreSQL ${perMille(postgres)} ms.`;
}

/** A row for each number of nodes. The nodes are warmed up before they are limited. */
async function measureWork(deployment: Deployment, work: keyof typeof works, plan: Plan) {
  const { share, connections, warmUpMs } = works[work];
  const { nodes, fronts } = deployment;
  for (const { group, server } of nodes) {
    group.limit(1);
    await load(server, work, warmUpMs, { connections });
  }
  for (const { group } of nodes) group.limit(share);
  const samples = nodeCounts.map((count) => ({ count, own: [] as NodesSample[] }));
  for (let round = 0; round < plan.rounds; round += 1) {
    for (const { count, own } of samples) {
      const front = fronts[count - 1];
      if (front === undefined) throw new Error(`There is no nginx in front of ${count} nodes`);
      const shape = { connections: connections * count, settleMs };
      const before = readCpu(deployment);
      const sample = await load(front, work, plan.roundMs, shape);
      own.push({ ...sample, cpu: cpuBetween(before, readCpu(deployment)) });
    }
    process.stderr.write(`\r${work}: round ${round + 1} of ${plan.rounds}   `);
  }
  process.stderr.write("\n");
  const first = samples[0]?.own ?? [];
  return samples.map(({ count, own }) => {
    return [work, String(share), String(count), ...cellsOf(own, first)];
  });
}

function cellsOf(own: readonly NodesSample[], first: readonly NodesSample[]): string[] {
  const middle = (of: (sample: NodesSample) => number) => median(own.map(of));
  const rates = own.map(({ requestsPerSecond }) => requestsPerSecond);
  const ratios = own.map((s, i) => s.requestsPerSecond / (first[i] ?? s).requestsPerSecond);
  const digits = median(rates) < 100 ? 1 : 0;
  const perCall = (part: keyof CpuTimes) =>
    middle(({ cpu, responses }) => (cpu[part] * 1_000_000) / responses).toFixed(1);
  return [
    median(rates).toFixed(digits),
    spread(rates, digits),
    median(ratios).toFixed(2),
    middle(({ cpu, seconds }) => cpu.nodes / seconds).toFixed(2),
    perCall("nodes"),
    perCall("postgres"),
    perCall("nginx"),
    middle((s) => (s.cpu.postgres + s.cpu.nginx + s.cpuSeconds) / s.seconds).toFixed(2),
    ...[middle(({ p50Ms }) => p50Ms), middle(({ p99Ms }) => p99Ms)].map((ms) => ms.toFixed(1)),
  ];
}
