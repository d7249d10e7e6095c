import { setTimeout as pause } from "node:timers/promises";
import { startPostgres } from "@wfh/server/test/store/postgres-server.ts";
import { scratchFolder } from "../harness/measured-program.ts";
import { outputOf } from "../harness/programs.ts";
import { median } from "../harness/tables.ts";
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
import type { BenchResult, BenchRow } from "./results.ts";
import { load, type Plan, type Sample, summarize } from "./rounds.ts";

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

/**
 * Measures one, two and three nodes behind nginx on one PostgreSQL, in interleaved rounds. Each
 * node has a share of a core, like a small machine; PostgreSQL, nginx and the load share another.
 *
 * @throws {Error} without nginx, PostgreSQL or control groups.
 */
export async function benchNodes(plan: Plan): Promise<BenchResult> {
  if (outputOf("nginx", ["-v"]) === undefined) {
    throw new Error("There is no nginx: apt-get install nginx");
  }
  // All that is started from here on belongs to it, except for the nodes.
  const others = new CpuGroup();
  others.add(process.pid);
  const postgres = await startPostgres(scratchFolder());
  if (typeof postgres === "string") throw new Error(postgres);
  try {
    const deployment = await startDeployment(postgres.url, Math.max(...nodeCounts));
    await prepareLogIns(usualAccounts, postgres.url);
    const idle = await measureIdle(deployment);
    const rows: BenchRow[] = [];
    const costs: string[] = [];
    for (const work of Object.keys(works) as (keyof typeof works)[]) {
      for (const { what, own, first } of await measureWork(deployment, work, plan)) {
        rows.push({ what, ...summarize(own, first) });
        costs.push(describeCost(what, own));
      }
    }
    stopDeployment(deployment);
    const about =
      "The nodes share a core, each limited to its share of it. PostgreSQL, nginx and the load have the other core.";
    return { rows, notes: [about, idle, "Processor time of a call:", ...costs] };
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

/** Samples of each number of nodes. The nodes are warmed up before they are limited. */
async function measureWork(deployment: Deployment, work: keyof typeof works, plan: Plan) {
  const { share, connections, warmUpMs } = works[work];
  const { nodes, fronts } = deployment;
  for (const { group, server } of nodes) {
    group.limit(1);
    await load(server, work, warmUpMs * (plan.warmUpShare ?? 1), { connections });
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
      const cpu = cpuBetween(before, readCpu(deployment));
      own.push({ ...sample, cpu, perCpuSecond: sample.responses / cpu.nodes });
    }
    process.stderr.write(`\r${work}: round ${round + 1} of ${plan.rounds}   `);
  }
  process.stderr.write("\n");
  const first = samples[0]?.own ?? [];
  return samples.map(({ count, own }) => {
    const nodesText = count === 1 ? "1 node" : `${count} nodes`;
    return { what: `${work}, ${nodesText} of ${share} of a core`, own, first };
  });
}

/** Describes the processor time of a call, as a sentence. */
function describeCost(what: string, own: readonly NodesSample[]): string {
  const perCall = (part: keyof CpuTimes) =>
    median(own.map(({ cpu, responses }) => (cpu[part] * 1_000_000) / responses)).toFixed(0);
  return `${what}: ${perCall("nodes")} µs of the nodes, ${perCall("postgres")} of PostgreSQL, ${perCall("nginx")} of nginx.`;
}
