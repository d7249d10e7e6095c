import { availableParallelism } from "node:os";
import type { Config } from "./settings.ts";

/** How many processes share the port, 1 or more. */
export function workerCountOf({ workers }: Pick<Config, "workers">): number {
  return workers === "auto" ? availableParallelism() : workers;
}
