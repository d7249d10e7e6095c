import { setTimeout as pause } from "node:timers/promises";
import { serverConnections } from "@wfh/server/store/postgres/connection.ts";
import type { Deployment } from "./deployment.ts";

/** Duration of a fault, in milliseconds: longer than a statement may take (3 s). */
const brokenMs = 4_000;
/** Between two cuts of connections, in milliseconds. */
const cutMs = 300;

/** Something that happens to a deployment. */
export interface Fault {
  readonly name: string;
  /** No call may fail by it. */
  readonly isGraceful?: true;
  /** Why it cannot be made here. */
  missing?(deployment: Deployment): string | undefined;
  /** Makes and repairs it, as an operator; resolves when only reconnections are left. */
  inject(deployment: Deployment, run: number): Promise<void>;
}

const ofNodes = "where usename = 'wfh' and backend_type = 'client backend'";

/** All faults, in the order in which they are made. */
export const faults: readonly Fault[] = [
  { name: "none", isGraceful: true, inject: async () => {} },
  {
    name: "kill -9 of a node",
    inject: async (deployment, run) => {
      const node = run % deployment.lastNode;
      await deployment.nodes.kill(node);
      await deployment.nodes.start(node);
    },
  },
  {
    name: "a frozen node",
    inject: async (deployment, run) => {
      const node = run % deployment.nodes.ports.length;
      deployment.nodes.signal(node, "SIGSTOP");
      await pause(brokenMs);
      deployment.nodes.signal(node, "SIGCONT");
    },
  },
  {
    name: "kill -9 of the primary, standby promoted",
    inject: async (deployment) => {
      const { database } = deployment;
      database.killPrimary();
      await database.promote();
      await deployment.untilPrimaryServes();
      await deployment.nodes.untilReady();
      // Against all advice the old primary comes back for a while.
      await database.startOldPrimary();
      await pause(brokenMs);
      await database.addStandby();
    },
  },
  {
    name: "the standby away",
    inject: async (deployment) => {
      const { database } = deployment;
      database.killStandby();
      await deployment.nodes.untilUnready();
      await pause(brokenMs);
      const waiting = await database.query(
        "select pid from pg_stat_activity where usename = 'wfh' and wait_event = 'SyncRep'",
      );
      const most = deployment.nodes.ports.length * serverConnections;
      if (waiting.length > most) throw new Error(`${waiting.length} connections wait`);
      await database.addStandby();
    },
  },
  {
    name: "frozen backends",
    inject: async ({ database }) => {
      const frozen = await database.query(`select pid from pg_stat_activity ${ofNodes}`);
      const signalAll = (name: NodeJS.Signals) => {
        for (const { pid } of frozen) signal(Number(pid), name);
      };
      signalAll("SIGSTOP");
      await pause(brokenMs);
      signalAll("SIGCONT");
    },
  },
  {
    name: "connections cut",
    inject: async ({ database }) => {
      for (let cut = 0; cut < 3; cut += 1) {
        await database.query(`select pg_terminate_backend(pid) from pg_stat_activity ${ofNodes}`);
        await pause(cutMs);
      }
    },
  },
  {
    name: "full disk on the primary",
    missing: ({ database }) =>
      database.hasDisks ? undefined : "only root can mount a disk of a fixed size",
    inject: async ({ database }) => {
      const free = await database.fillDisk();
      await pause(brokenMs);
      free();
      await database.restartPrimary();
    },
  },
  {
    name: "a clock 30 s ahead on a node",
    isGraceful: true,
    inject: async (deployment) => {
      const preload = new URL("../harness/clock-ahead.ts", import.meta.url).href;
      await deployment.nodes.restart(0, { settings: { NODE_OPTIONS: `--import=${preload}` } });
      await pause(brokenMs);
      await deployment.nodes.restart(0);
    },
  },
  {
    name: "rolling restart",
    isGraceful: true,
    inject: async ({ nodes, lastNode }) => {
      for (let node = 0; node < lastNode; node += 1) await nodes.restart(node);
    },
  },
];

/** Sends a signal to a process that may have ended. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ESRCH") throw cause;
  }
}
