import { readdirSync, readFileSync } from "node:fs";

/** Resident memory of a process in bytes, as Linux has it: now, or the most that it has had. */
export function residentOf(
  pid: number | string | undefined,
  which: "now" | "peak" = "now",
): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const found = (which === "now" ? /VmRSS:\s+(\d+) kB/ : /VmHWM:\s+(\d+) kB/).exec(status);
  return Number(found?.[1]) * 1_024;
}

/** Open file descriptors of a process. */
export function descriptorsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}
