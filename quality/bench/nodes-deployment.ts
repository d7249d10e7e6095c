import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "@wfh/server/test/free-port.ts";
import pg from "pg";
import {
  cpuSecondsOfAll,
  type Measured,
  pinAll,
  scratchFolder,
  startProgramOn,
  startTogetherOn,
  startWordsOf,
} from "../harness/measured-program.ts";
import { nginxAlone, nginxListens } from "../harness/nginx.ts";
import { nodesBlock } from "../harness/nginx-examples.ts";
import { CpuGroup } from "./cpu-group.ts";
import { loadCore, serverCore } from "./rounds.ts";

/** Nodes on one core, and on the other one nginx in front of some of them, and their database. */
export interface Deployment {
  readonly nodes: readonly Node[];
  /** nginx in front of the first node, of the first two, and so on. */
  readonly fronts: readonly Measured[];
  /** Number of the first process of PostgreSQL. */
  readonly postgres: number;
}

/** A node in a control group of its own, which is not limited yet. */
export interface Node {
  readonly server: Measured;
  readonly group: CpuGroup;
}

/** Processor time of all nodes, PostgreSQL and nginx, in seconds. */
export interface CpuTimes {
  readonly nodes: number;
  readonly postgres: number;
  readonly nginx: number;
}

/** Starts nodes on a local PostgreSQL database, with nginx as in examples/nginx-nodes.conf. */
export async function startDeployment(databaseUrl: string, count: number): Promise<Deployment> {
  const postgres = await findPostgres(databaseUrl);
  pinAll(postgres, loadCore);
  const environment = {
    WFH_PORT: "0",
    WFH_DATABASE_URL: databaseUrl,
    WFH_SECRET_KEYS: randomBytes(32).toString("base64url"),
    WFH_TRUSTED_PROXIES: "127.0.0.1",
    WFH_DRAIN_MS: "0",
  };
  const nodes: Node[] = [];
  const fronts: Measured[] = [];
  while (nodes.length < count) {
    const group = new CpuGroup();
    const command = group.commandWithin([process.execPath, ...startWordsOf()]);
    nodes.push({ group, server: await startProgramOn(serverCore, command, environment) });
    fronts.push(await startFront(nodes));
  }
  return { nodes, fronts, postgres };
}

async function startFront(nodes: readonly Node[]): Promise<Measured> {
  const folder = scratchFolder();
  const port = await freePort();
  const file = join(folder, "nginx.conf");
  const ports = nodes.map(({ server }) => Number(new URL(server.url).port));
  writeFileSync(file, nginxAlone(nodesBlock(port, ports)));
  const command = ["nginx", "-p", folder, "-c", file, "-e", "stderr"];
  const program = { command, readyAt: nginxListens };
  return startTogetherOn(loadCore, `http://127.0.0.1:${port}`, [program]);
}

async function findPostgres(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query("SELECT pg_read_file('postmaster.pid') AS text");
  await client.end();
  return Number.parseInt(rows[0].text, 10);
}

/** Stops nodes and nginx. */
export function stopDeployment({ nodes, fronts }: Deployment): void {
  for (const { server } of nodes) server.stop();
  for (const front of fronts) front.stop();
}

/** Processor time since all of them were started. */
export function readCpu({ nodes, fronts, postgres }: Deployment): CpuTimes {
  const sumOf = (all: readonly Measured[]) => all.reduce((sum, one) => sum + one.cpuSeconds(), 0);
  return {
    nodes: sumOf(nodes.map(({ server }) => server)),
    postgres: cpuSecondsOfAll(postgres),
    nginx: sumOf(fronts),
  };
}

/** Processor time between two readings. */
export function cpuBetween(before: CpuTimes, after: CpuTimes): CpuTimes {
  return {
    nodes: after.nodes - before.nodes,
    postgres: after.postgres - before.postgres,
    nginx: after.nginx - before.nginx,
  };
}
