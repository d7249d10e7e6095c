import { spawnSync } from "node:child_process";

/** Longest a program may take to say its version, in milliseconds. */
const patienceMs = 10_000;

/** What a program prints, on either stream; undefined where it is not installed or fails. */
export function outputOf(program: string, args: readonly string[]): string | undefined {
  const { status, stdout, stderr } = spawnSync(program, args, {
    encoding: "utf8",
    timeout: patienceMs,
  });
  return status === 0 ? stdout + stderr : undefined;
}
