import type { WorkerListening } from "../../../cluster/messages.ts";
import { noteSlowArgon2 } from "../../../secrets/argon2.ts";
import type { Log } from "../../../server/log.ts";
import type { ClusterMetrics } from "../../../server/metrics/metrics.ts";
import type { Config } from "../../../server/settings/settings.ts";
import { startService } from "../../../service.ts";
import { exitCodes } from "../../exit-codes.ts";
import { openServedGazetteer } from "../../gazetteer.ts";
import { readConfiguredKeys } from "../../secret-keys.ts";
import { toStartFailure } from "../../start-failure.ts";
import { followGazetteer } from "./follow-gazetteer.ts";
import { shutdownReason } from "./shutdown-signal.ts";
import { closeServedStore, openServedStore, withoutStoreTime } from "./store-lifecycle.ts";

/** How a server runs: alone, or as a worker of a supervisor. */
interface ServerRun {
  readonly config: Config;
  readonly log: Log;
  readonly onListening: (listening: WorkerListening) => void;
  readonly clusterMetrics?: ClusterMetrics;
}

/**
 * Runs one server in this process. Resolves to the exit code.
 *
 * @throws {CommandError} when it cannot start.
 */
export async function runServer({ config, log, onListening, ...run }: ServerRun): Promise<number> {
  const gazetteer = openServedGazetteer(config.gazetteer);
  noteSlowArgon2(log);
  const secretKeys = readConfiguredKeys(config);
  const store = await openServedStore(config, log);
  store.retention.start();
  const deps = { config: withoutStoreTime(config), gazetteer, store, secretKeys, log, ...run };
  const listening = await startService(deps).catch(async (cause) => {
    await store.close();
    throw toStartFailure(cause);
  });
  const { url, adminUrl } = listening;
  onListening({ url, adminUrl, facts: gazetteer.facts });
  const { lookAgain } = followGazetteer(gazetteer, log);
  const reason = await shutdownReason(lookAgain);
  log.info({ reason: reason.name, cause: reason.cause }, "stopping");
  const untilMs = performance.now() + config.shutdownTimeoutMs;
  const clean = await listening.close();
  // After the last response: what it acknowledged is on disk, what still waits is written now.
  await closeServedStore({ store, config, log, untilMs });
  log.info({ clean }, "stopped");
  return clean && reason.cause === undefined ? exitCodes.done : exitCodes.failed;
}
