import { availableParallelism } from "node:os";
import { threadPool } from "./config.ts";
import type { Config } from "./settings.ts";

/** Threads that Node.js wants for itself: files and names of hosts. */
const others = 2;

/** Makes room on the thread pool for one hash on each core. Only of use before anything has run there. */
export function sizeThreadPool(): void {
  threadPool.resize(availableParallelism() + others);
}

/** How many passwords are hashed at the same time: never so many that nothing else gets a thread. */
export function hashConcurrencyOf({ hashesAtOnce }: Pick<Config, "hashesAtOnce">): number {
  const wanted = hashesAtOnce === "auto" ? availableParallelism() : hashesAtOnce;
  return Math.max(1, Math.min(wanted, threadPool.size() - 1));
}
