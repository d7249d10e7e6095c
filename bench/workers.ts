import { availableParallelism, loadavg } from "node:os";
import { startServer } from "./processes.ts";
import { renderMarkdown } from "./results.ts";
import { compare, heading, type Plan } from "./rounds.ts";

/** A look-up in two bindings, and page requests, which need the one database. */
const works = ["soap11", "http-get", "page-requests-json"] as const;
/** Enough for each worker to have several, and time for the workers to even them out. */
const shape = { connections: 64, settleMs: 1_500, core: "any" } as const;

/**
 * One process beside two and one per core, in interleaved rounds. The load runs on the same cores, so the ratio of requests per second is
 * less than what a load from elsewhere would see; requests per cpu second show what a request costs.
 */
export async function benchWorkers(plan: Plan): Promise<string> {
  const counts = [...new Set([1, 2, availableParallelism()])].sort((a, b) => a - b);
  const contenders = [];
  for (const count of counts) {
    const server = await startServer("any", { WFH_WORKERS: String(count) }).catch(() => undefined);
    if (server !== undefined) contenders.push({ name: `workers: ${count}`, server });
  }
  const rows: string[][] = [];
  for (const work of works) rows.push(...(await compare(work, contenders, { ...plan, ...shape })));
  for (const { server } of contenders) server.stop();
  const [average = 0] = loadavg();
  const note = `Server and load (one process, ${shape.connections} connections) share ${availableParallelism()} cores; load average ${average.toFixed(1)} at the end.`;
  return `${renderMarkdown([heading, ...rows])}\n\n${note}`;
}
