import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("./appender-main.ts", import.meta.url));

/** Prefix of the IDs that a process appends, and calls in flight; a lazy one acknowledges first. */
interface AppenderOptions {
  readonly url: string;
  readonly prefix: string;
  readonly inFlight: number;
  readonly mode?: "honest" | "lazy";
}

/**
 * Starts a process that appends page requests without a pause and prints each acknowledged ID.
 * `kill` kills its group; `ended` resolves once all output is read, and rejects on any other end.
 */
export function startAppender(
  { url, prefix, inFlight, mode = "honest" }: AppenderOptions,
  acknowledged: (requestId: string) => void,
) {
  const child = spawn(process.execPath, [program, url, prefix, String(inFlight), mode], {
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const kill = () => process.kill(-(child.pid ?? Number.NaN), "SIGKILL");
  process.on("exit", kill);
  createInterface({ input: child.stdout }).on("line", acknowledged);
  const ended = once(child, "close").then(([, signal]) => {
    process.off("exit", kill);
    if (signal !== "SIGKILL") throw new Error(`The process ended by itself, by ${signal}`);
  });
  return { kill, ended };
}
