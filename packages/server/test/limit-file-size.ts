import { spawnSync } from "node:child_process";

/** Limits the size of files that this process may write, in bytes; a text says why it cannot. */
export function limitFileSize(bytes: number | "unlimited"): string | false {
  const words = ["--pid", String(process.pid), `--fsize=${bytes}:unlimited`];
  const { status, error, stderr } = spawnSync("prlimit", words, { encoding: "utf8" });
  return status === 0 ? false : `file sizes cannot be limited: ${error?.message ?? stderr}`;
}
