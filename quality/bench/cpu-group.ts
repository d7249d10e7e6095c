import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Period of a group's CPU share, in microseconds: short, so that processes never pause long. */
const periodUs = 10_000;
/** Weight beside what else the machine does, where each other process has 1. */
const weight = 16;

/** Version 2 of control groups has one folder for all controllers. */
const isVersion2 = existsSync("/sys/fs/cgroup/cgroup.controllers");
const parent = isVersion2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/cpu";

let madeCount = 0;

/**
 * A control group of Linux: its processes have priority, and together at most a share of one core.
 * It is removed when the program ends; its processes are then without one.
 */
export class CpuGroup {
  readonly #folder: string;

  /** @throws {Error} where control groups cannot be made. */
  constructor() {
    madeCount += 1;
    this.#folder = join(parent, `wfh-bench-${process.pid}-${madeCount}`);
    try {
      mkdirSync(this.#folder);
      this.#write(isVersion2 ? ["cpu.weight", 100 * weight] : ["cpu.shares", 1_024 * weight]);
    } catch (cause) {
      const reason = (cause as Error).message;
      throw new Error(`This needs a control group, as root on Linux: ${reason}`);
    }
    // Before what may fail.
    process.prependListener("exit", () => this.#remove());
  }

  /** Moves a running process into it. Those that it starts from then on follow. */
  add(pid: number): void {
    this.#write(["cgroup.procs", pid]);
  }

  /** A command as one that runs within the group. */
  commandWithin(command: readonly string[]): readonly string[] {
    const enter = 'echo $$ > "$0" && exec "$@"';
    return ["sh", "-c", enter, join(this.#folder, "cgroup.procs"), ...command];
  }

  /** Limits its processes together to a share of one core, from 0.1; above 1 to several cores. */
  limit(share: number): void {
    const quotaUs = Math.round(share * periodUs);
    if (isVersion2) this.#write(["cpu.max", `${quotaUs} ${periodUs}`]);
    else this.#write(["cpu.cfs_period_us", periodUs], ["cpu.cfs_quota_us", quotaUs]);
  }

  #write(...settings: readonly (readonly [file: string, value: string | number])[]): void {
    for (const [file, value] of settings) {
      writeFileSync(join(this.#folder, file), String(value));
    }
  }

  #remove(): void {
    const pids = readFileSync(join(this.#folder, "cgroup.procs"), "utf8").split("\n");
    for (const pid of pids.filter((text) => text !== "")) {
      try {
        writeFileSync(join(parent, "cgroup.procs"), pid);
      } catch {
        // It has ended meanwhile.
      }
    }
    rmdirSync(this.#folder);
  }
}
