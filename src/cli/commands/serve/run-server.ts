import type { WorkerListening } from "../../../cluster/messages.ts";
import { noteSlowArgon2 } from "../../../secrets/argon2.ts";
import type { Log } from "../../../server/log.ts";
import type { ClusterMetrics } from "../../../server/metrics/metrics.ts";
import type { Config } from "../../../server/settings/settings.ts";
import {
  hasStoreThread,
  killProcess,
  listenForSignals,
  shutDown,
  shutdownReason,
} from "../../../server/shutdown.ts";
import { startService } from "../../../service.ts";
import type { Store } from "../../../store/store.ts";
import { exitCodes } from "../../exit-codes.ts";
import { openServedGazetteer } from "../../gazetteer.ts";
import { readConfiguredKeys } from "../../secret-keys.ts";
import { openConfiguredStore } from "./configured-store.ts";
import { followGazetteer } from "./follow-gazetteer.ts";
import { toStartFailure } from "./start-failure.ts";

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
  const deps = { config, gazetteer, store, secretKeys, log, ...run };
  const listening = await startService(deps).catch(async (cause) => {
    await store.close();
    throw toStartFailure(cause);
  });
  const { url, adminUrl } = listening;
  onListening({ url, adminUrl, facts: gazetteer.facts });
  const { reload } = followGazetteer(gazetteer, log);
  const reason = await shutdownReason(reload);
  const isClean = await shutDown({ listening, store, config, log }, reason);
  return isClean ? exitCodes.done : exitCodes.failed;
}

/** Opens the database. A signal meanwhile ends the process: no request has begun, and a change of the schema is rolled back. */
async function openServedStore(config: Config, log: Log): Promise<Store> {
  const opening = openConfiguredStore(config, log);
  const first = await Promise.race([opening, listenForSignals()]);
  if ("name" in first) {
    log.info({ reason: first.name }, "stopped before the start was done");
    if (hasStoreThread(config)) {
      setTimeout(killProcess, config.shutdownTimeoutMs);
      await opening.then((store) => store.close()).catch(() => {});
    }
    process.exit(exitCodes.done);
  }
  return first;
}
