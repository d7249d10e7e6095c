import { noteSlowArgon2 } from "../../../secrets/argon2.ts";
import type { Listening } from "../../../server/http/listener.ts";
import { openLog } from "../../../server/log.ts";
import { workerCountOf } from "../../../server/settings/config.ts";
import { startService } from "../../../service.ts";
import type { Store } from "../../../store/store.ts";
import { exitCodes } from "../../exit-codes.ts";
import { openServedGazetteer } from "../../gazetteer.ts";
import type { Terminal } from "../../io/terminal.ts";
import { readConfiguredKeys } from "../../secret-keys.ts";
import { readSettings } from "../../settings.ts";
import { toStartFailure } from "../../start-failure.ts";
import { renderBanner } from "./banner.ts";
import { followGazetteer } from "./follow-gazetteer.ts";
import { shutdownReason } from "./shutdown-signal.ts";
import { closeServedStore, openServedStore, withoutStoreTime } from "./store-lifecycle.ts";

/** Options of `serve`. */
export interface ServeOptions {
  readonly config?: string;
}

/**
 * Runs the server until a signal or an error stops it. Resolves to the exit code: `done` after a
 * clean end, `failed` when connections had to be cut or a bug ended it.
 *
 * @throws {CommandError} when it cannot start.
 */
export async function serve(options: ServeOptions, console: Terminal): Promise<number> {
  const config = readSettings(options.config, console);
  const workers = workerCountOf(config);
  if (workers > 1) {
    // Loaded only here: most servers are one process.
    const { serveWorkers } = await import("./supervise.ts");
    return serveWorkers(config, workers, console);
  }
  const gazetteer = openServedGazetteer(config.gazetteer);
  const log = openLog(config.logLevel);
  noteSlowArgon2(log);
  const secretKeys = readConfiguredKeys(config);
  const store = await openServedStore(config, log);
  store.retention.start();
  const parts = { config: withoutStoreTime(config), gazetteer, store, secretKeys, log };
  const listening = await start(() => startService(parts), store);
  const { url, adminUrl } = listening;
  log.info({ url, adminUrl, postalCodes: gazetteer.facts.postalCodeCount }, "listening");
  console.err(renderBanner(listening, config, gazetteer.facts));
  const { lookAgain } = followGazetteer(gazetteer, log);
  const reason = await shutdownReason(lookAgain);
  log.info({ reason: reason.name, cause: reason.cause }, "stopping");
  const untilMs = performance.now() + config.shutdownTimeoutMs;
  const clean = await listening.close();
  // After the last answer: what it acknowledged is on disk, what still waits is written now.
  await closeServedStore({ store, config, log, untilMs });
  log.info({ clean }, "stopped");
  return clean && reason.cause === undefined ? exitCodes.done : exitCodes.failed;
}

async function start(run: () => Promise<Listening>, store: Store): Promise<Listening> {
  try {
    return await run();
  } catch (cause) {
    await store.close();
    throw toStartFailure(cause);
  }
}
