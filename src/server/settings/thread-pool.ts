import { availableParallelism } from "node:os";
import { threadPool } from "./config.ts";
import type { Config } from "./settings.ts";
import { workerCountOf } from "./worker-count.ts";

/** Threads that Node.js wants for itself: files and names of hosts. */
const others = 2;

/** Makes room on the thread pool for one hash on each core. Only of use before anything has run there. */
export function sizeThreadPool(): void {
  threadPool.resize(availableParallelism() + others);
}

/**
 * How many passwords one process hashes at the same time: never so many that nothing else gets a thread. Workers share what the setting
 * allows, each at least one.
 */
export function hashConcurrencyOf(config: Pick<Config, "hashesAtOnce" | "workers">): number {
  const wanted = config.hashesAtOnce === "auto" ? availableParallelism() : config.hashesAtOnce;
  const ofProcess = Math.floor(wanted / workerCountOf(config));
  return Math.max(1, Math.min(ofProcess, threadPool.size() - 1));
}
