import { readdirSync } from "node:fs";
import { startServer } from "@wfh/server/test/test-server.ts";

// A server in its own process, which tells its parent its memory on request. Its settings are in
// the first argument, as JSON. Node.js runs it with --expose-gc.

/** Memory and descriptors of the process, and its log lines above the level info. */
export interface ServerFacts {
  readonly residentBytes: number;
  readonly heapBytes: number;
  readonly descriptors: number;
  readonly alarms: readonly string[];
}

/** First message of the process. */
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
