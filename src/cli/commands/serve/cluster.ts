import { Supervisor } from "../../../cluster/supervisor.ts";
import { joinCluster } from "../../../cluster/worker.ts";
import { openConfiguredLog } from "../../../server/log.ts";
import type { Config } from "../../../server/settings/settings.ts";
import {
  listenForSignals,
  requestReload,
  requestShutdown,
  shutDown,
  shutdownReason,
} from "../../../server/shutdown.ts";
import { CommandError, exitCodes } from "../../exit-codes.ts";
import type { Terminal } from "../../io/terminal.ts";
import { renderBanner } from "./banner.ts";
import { lockForWorkers } from "./configured-store.ts";

/**
 * Runs the server as several processes until a signal or an error stops it (decision 0053). Resolves to the exit code, as
 * `serve` does.
 *
 * @param count how many workers there are.
 * @throws {CommandError} when it cannot start.
 */
export async function supervise(
  config: Config,
  count: number,
  terminal: Terminal,
): Promise<number> {
  const log = openConfiguredLog(config);
  const supervisor = new Supervisor(divideLimits(config, count), count, log);
  const starting = supervisor.start();
  const started = await Promise.race([starting, listenForSignals()]).catch((cause: Error) => {
    throw new CommandError(cause.message, undefined, cause);
  });
  if ("name" in started) {
    log.info({ reason: started.name }, "stopped during the start");
    starting.catch(() => {});
    return (await supervisor.stop(started.name)) ? exitCodes.done : exitCodes.failed;
  }
  // Only now: a worker has created the file.
  const unlock = lockForWorkers(config, log);
  const { url, adminUrl, facts } = started;
  log.info({ url, adminUrl, postalCodes: facts.postalCodeCount, workers: count }, "listening");
  if (process.stderr.isTTY) terminal.err(renderBanner(started, config, facts, count));
  void supervisor.broken.then(({ message }) =>
    requestShutdown({ name: "workers", cause: message }),
  );
  const reason = await shutdownReason(() => supervisor.reload(), log);
  const isClean = await shutDown(reason, log, () => supervisor.stop(reason.name));
  unlock();
  return isClean ? exitCodes.done : exitCodes.failed;
}

/** The settings of each worker: all of them together keep to the limits of the server. `hashConcurrencyOf` divides the hashes. */
function divideLimits(config: Config, count: number): Config {
  const share = (limit: number) => Math.ceil(limit / count);
  return {
    ...config,
    connectionsMax: Math.max(1, Math.floor(config.connectionsMax / count)),
    // Each has room for the longest body and what is counted beside it.
    bodiesBytesMax: Math.max(2 * config.bodyBytesMax, share(config.bodiesBytesMax)),
    pageRequestsPerNetwork: share(config.pageRequestsPerNetwork),
    pageRequestQueueMax: share(config.pageRequestQueueMax),
    hashQueueMax: share(config.hashQueueMax),
  };
}

/** Runs this process as a worker of a supervisor: an ordinary server with settings from there (decision 0053). */
export async function serveAsWorker(): Promise<number> {
  const worker = await joinCluster(requestReload, (name, cause) =>
    requestShutdown(cause === undefined ? { name } : { name, cause }),
  );
  // The supervisor does without the server.
  const { runServer } = await import("./run-server.ts");
  const { config, number, metrics } = worker;
  const log = openConfiguredLog(config).child({ worker: number });
  try {
    const onListening = (listening: Parameters<typeof worker.reportListening>[0]) => {
      log.info({ pid: process.pid }, "worker is listening");
      worker.reportListening(listening);
    };
    return await runServer({ config, log, onListening, clusterMetrics: metrics });
  } catch (cause) {
    await worker.reportFailure(cause);
    return exitCodes.failed;
  } finally {
    // The channel to the supervisor would keep this process.
    if (process.connected) process.disconnect();
  }
}
