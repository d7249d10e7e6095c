import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import type { Addresses } from "../../../cluster/messages.ts";
import { Supervisor } from "../../../cluster/supervisor.ts";
import type { Readiness } from "../../../domain/page-requests/readiness.ts";
import { noteSlowArgon2 } from "../../../secrets/argon2.ts";
import { type Log, openLog } from "../../../server/log.ts";
import { createSupervisorMetrics } from "../../../server/metrics/supervisor-metrics.ts";
import type { Config } from "../../../server/settings/settings.ts";
import type { Store } from "../../../store/store.ts";
import { exitCodes } from "../../exit-codes.ts";
import { openServedGazetteer } from "../../gazetteer.ts";
import type { Terminal } from "../../io/terminal.ts";
import { readConfiguredKeys } from "../../secret-keys.ts";
import { toStartFailure } from "../../start-failure.ts";
import { renderBanner } from "./banner.ts";
import { listenForSignals, shutdownReason } from "./shutdown-signal.ts";
import { closeServedStore, openServedStore, withoutStoreTime } from "./store-lifecycle.ts";

// Node.js resolves what a process runs, so the build does not see it and cannot rename it.
const workerFile = new URL(
  import.meta.url.endsWith(".ts") ? "./node.ts" : "./node.js",
  import.meta.url,
);

/** How often workers are told whether page requests can be stored, where that has changed, in milliseconds. */
const readyIntervalMs = 100;

/**
 * Runs the server as several processes until a signal or an error stops it: this one keeps the database, the others
 * answer (decision 0041). Resolves to the exit code, as `serve` does.
 *
 * @param count how many processes answer.
 * @throws {CommandError} when it cannot start.
 */
export async function serveWorkers(
  config: Config,
  count: number,
  console: Terminal,
): Promise<number> {
  // Workers open it for themselves; whether they can is told once, here.
  const { facts } = openServedGazetteer(config.gazetteer);
  const log = openLog(config.logLevel);
  noteSlowArgon2(log);
  const secretKeys = readConfiguredKeys(config);
  const store = await openServedStore(config, log);
  store.retention.start();
  const shared = await shareConfig(withoutStoreTime(config), count);
  const metrics = createSupervisorMetrics(config, () => performance.now(), {
    // Log-ins run in the workers.
    logInsUnderWay: () => 0,
    hashes: () => ({ running: 0, waiting: 0 }),
    queuedPageRequests: () => store.queuedRows(),
    retention: store.retention.facts,
    disk: store.disk,
    pageRequestQueueMax: config.pageRequestQueueMax,
    stats: () => crew.stats(),
  });
  store.onBatch(metrics.onBatch);
  const crew = new Supervisor({
    ...{ file: workerFile, count, log, shutdownTimeoutMs: config.shutdownTimeoutMs },
    start: () => ({ config: shared, secretKeys, readiness: store.readiness() }),
    services: store,
    figures: metrics.read,
  });
  const addresses = await start(() => crew.start(), { store, log });
  log.info({ ...addresses, postalCodes: facts.postalCodeCount, workers: count }, "listening");
  console.err(renderBanner(addresses, config, facts, count));
  const callOff = tellReadiness(crew, store);
  const stopped = shutdownReason(() => crew.tell({ kind: "look-again" }));
  const broken = crew.broken.then(({ message }) => ({ name: "workers", cause: message }));
  const reason = await Promise.race([stopped, broken]);
  log.info({ reason: reason.name, cause: reason.cause }, "stopping");
  const untilMs = performance.now() + config.shutdownTimeoutMs;
  const clean = await crew.stop();
  callOff();
  // After the last answer: what it acknowledged is on disk, what still waits is written now.
  await closeServedStore({ store, config, log, untilMs });
  log.info({ clean }, "stopped");
  return clean && reason.cause === undefined ? exitCodes.done : exitCodes.failed;
}

async function start(
  run: () => Promise<Addresses>,
  { store, log }: { store: Store; log: Log },
): Promise<Addresses> {
  try {
    return await run();
  } catch (cause) {
    await store.close();
    // A signal to all processes at once ends workers that have not started yet.
    const signal = await Promise.race([listenForSignals(), undefined]);
    if (signal !== undefined) {
      log.info({ reason: signal.name }, "stopped before the start was done");
      process.exit(exitCodes.done);
    }
    throw toStartFailure(cause);
  }
}

/** The settings of each worker: together they have as many connections and bodies as the server may, and the same ports. */
async function shareConfig(config: Config, count: number): Promise<Config> {
  const connectionsMax = Math.max(1, Math.floor(config.connectionsMax / count));
  // Each has room for the longest body and what is counted beside it.
  const bodiesBytesMax = Math.max(
    2 * config.bodyBytesMax,
    Math.floor(config.bodiesBytesMax / count),
  );
  const pageRequestsPerNetwork = Math.ceil(config.pageRequestsPerNetwork / count);
  const { host, port, adminHost, adminPort } = config;
  return {
    ...{ ...config, connectionsMax, bodiesBytesMax, pageRequestsPerNetwork },
    port: await portOf(host, port),
    adminPort: adminPort === "off" ? adminPort : await portOf(adminHost, adminPort),
  };
}

/** A free port, where none is set: workers that come later take the same. */
async function portOf(host: string, port: number): Promise<number> {
  if (port !== 0) return port;
  const server = createServer();
  try {
    await once(server.listen({ host, port, exclusive: true }), "listening");
  } catch {
    // A worker meets the same, and says it.
    return port;
  }
  const { port: free } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return free;
}

/**
 * Tells all workers soon, and then whenever it has changed: they started with what held before they were listening, and
 * it may be another by now. Calling the function that is returned ends that.
 */
export function tellReadiness(
  crew: Pick<Supervisor, "tell">,
  store: Pick<Store, "readiness">,
): () => void {
  let told: Readiness | undefined;
  const timer = setInterval(() => {
    const readiness = store.readiness();
    if (readiness !== told) crew.tell({ kind: "ready", readiness });
    told = readiness;
  }, readyIntervalMs);
  return () => clearInterval(timer);
}
