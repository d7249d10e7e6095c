import { readdirSync, readFileSync } from "node:fs";

/** Resident memory of a process in bytes, as Linux has it. */
export function residentOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1_024;
}

/** Open file descriptors of a process. */
export function descriptorsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}
