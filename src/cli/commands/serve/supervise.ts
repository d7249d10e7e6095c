import { Supervisor } from "../../../cluster/supervisor.ts";
import { openLog } from "../../../server/log.ts";
import type { Config } from "../../../server/settings/settings.ts";
import { listenForSignals, shutdownReason } from "../../../server/shutdown.ts";
import { exitCodes } from "../../exit-codes.ts";
import type { Terminal } from "../../io/terminal.ts";
import { renderBanner } from "./banner.ts";
import { lockForWorkers } from "./configured-store.ts";
import { toStartFailure } from "./start-failure.ts";

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
  const log = openLog(config.logLevel);
  const supervisor = new Supervisor({ config: divideLimits(config, count), count, log });
  const starting = supervisor.start();
  const started = await Promise.race([starting, listenForSignals()]).catch((cause) => {
    throw toStartFailure(cause);
  });
  if ("name" in started) {
    log.info({ reason: started.name }, "stopped before the start was done");
    starting.catch(() => {});
    return (await supervisor.stop()) ? exitCodes.done : exitCodes.failed;
  }
  // Only now: a worker has created the file.
  const unlock = lockForWorkers(config, log);
  const { url, adminUrl, facts } = started;
  log.info({ url, adminUrl, postalCodes: facts.postalCodeCount, workers: count }, "listening");
  terminal.err(renderBanner(started, config, facts, count));
  const broken = supervisor.broken.then(({ message }) => ({ name: "workers", cause: message }));
  const reason = await Promise.race([shutdownReason(() => supervisor.reload()), broken]);
  log.info({ reason: reason.name, cause: reason.cause }, "stopping");
  const clean = await supervisor.stop();
  unlock();
  log.info({ clean }, "stopped");
  return clean && reason.cause === undefined ? exitCodes.done : exitCodes.failed;
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
