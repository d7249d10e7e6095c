import { readdirSync } from "node:fs";
import { startServer } from "@wfh/server/test/test-server.ts";

// A server in a process of its own, which tells its parent what it holds when it is asked. Its settings are in the first
// argument, as JSON. Node.js runs it with --expose-gc.

/** What the process holds, and the lines that its log has above the level info. */
export interface ServerFacts {
  readonly residentBytes: number;
  readonly heapBytes: number;
  readonly descriptors: number;
  readonly alarms: readonly string[];
}

/** What the process tells first. */
export interface ServerStarted {
  readonly url: string;
}

const settings = JSON.parse(process.argv[2] ?? "{}") as Record<string, string>;
const server = await startServer({ WFH_LOG_LEVEL: "warn", ...settings });
/** Its database is new, which is the first line. */
const linesBefore = server.log.length;

function tell(message: ServerFacts | ServerStarted): void {
  process.send?.(message);
}

process.on("message", () => {
  globalThis.gc?.();
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  tell({
    residentBytes: rss,
    heapBytes: heapUsed,
    descriptors: readdirSync("/proc/self/fd").length,
    alarms: server.log.slice(linesBefore),
  });
});
process.on("disconnect", () => process.exit());
tell({ url: server.url });
