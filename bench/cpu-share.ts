import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/** Time in which a process may run for its share, in microseconds: short, so that one that has used it up is not still for long. */
const periodUs = 10_000;
/** Weight beside what else the machine does, 1 being that of any other process: a share that others take is no share. */
const weight = 16;

/** A control group of Linux: processes that together have no more than a share of one core, and go before what else the machine does. */
export interface CpuShare {
  /** Puts a process with all of its threads into it. */
  add(pid: string): void;
  /** Removes it, once its processes have ended. */
  remove(): Promise<void>;
}

interface Controller {
  readonly folder: string;
  /** Files of the share and of the weight, with what they hold. */
  settings(quotaUs: number | null): Readonly<Record<string, string>>;
}

const versions: readonly Controller[] = [
  {
    folder: "/sys/fs/cgroup/cpu",
    settings: (quotaUs) => ({
      "cpu.cfs_period_us": String(periodUs),
      "cpu.cfs_quota_us": String(quotaUs ?? -1),
      "cpu.shares": String(1_024 * weight),
    }),
  },
  {
    folder: "/sys/fs/cgroup",
    settings: (quotaUs) => ({
      "cpu.max": `${quotaUs ?? "max"} ${periodUs}`,
      "cpu.weight": String(100 * weight),
    }),
  },
];

let made = 0;

/**
 * Makes a control group, of version 1 or 2, or gives undefined where this machine has none or they are not ours to make.
 *
 * @param share of one core, as 0.25; threads on several cores use it up together. Null is without a bound.
 */
export function makeCpuShare(share: number | null): CpuShare | undefined {
  made += 1;
  const quotaUs = share === null ? null : Math.round(periodUs * share);
  const name = `wfh-bench-${process.pid}-${made}`;
  for (const { folder, settings } of versions) {
    const own = join(folder, name);
    try {
      mkdirSync(own);
    } catch {
      continue;
    }
    try {
      for (const [file, value] of Object.entries(settings(quotaUs))) {
        // What is no file of the controller must not become one.
        readFileSync(join(own, file));
        writeFileSync(join(own, file), value);
      }
    } catch {
      rmdirSync(own);
      continue;
    }
    return {
      add: (pid) => writeFileSync(join(own, "cgroup.procs"), pid),
      remove: () => removeEmpty(own),
    };
  }
  return undefined;
}

/** A process that was killed leaves its group a moment later. */
async function removeEmpty(folder: string): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    try {
      rmdirSync(folder);
      return;
    } catch {
      await pause(20);
    }
  }
  throw new Error(`${folder} still has processes: remove it when they have ended`);
}
