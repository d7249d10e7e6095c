import { readdirSync, readFileSync } from "node:fs";

/** What the processes of a server hold, in bytes. */
export interface Holding {
  readonly first: number;
  readonly workers: number;
}

/** Resident memory of a process and of those that it has started, as Linux lists them. */
export function residentOf(pid: number): Holding {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  const workers = children.split(" ").filter(Boolean).map(residentOfOne);
  return { first: residentOfOne(String(pid)), workers: workers.reduce((a, b) => a + b, 0) };
}

function residentOfOne(pid: string): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1_024;
  } catch {
    // It has just been killed.
    return 0;
  }
}

/** Open file descriptors of a process. */
export function descriptorsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}
