import cluster from "node:cluster";
import type { WorkerListening } from "../../../cluster/messages.ts";
import { openConfiguredLog } from "../../../server/log.ts";
import { workerCountOf } from "../../../server/settings/config.ts";
import type { SharedOptions } from "../../command.ts";
import type { Terminal } from "../../io/terminal.ts";
import { readSettings } from "../../settings.ts";
import { renderBanner } from "./banner.ts";

/** Options of `wfh serve`. */
export interface ServeOptions extends Pick<SharedOptions, "config"> {
  /** Values that take the place of settings, as they would be written there. */
  readonly port?: string;
  readonly host?: string;
}

/**
 * Runs the server until a signal or an error stops it. Resolves to the exit code: `done` after a
 * clean end, `failed` when connections had to be cut or a bug ended it.
 *
 * @throws {CommandError} when it cannot start.
 */
export async function serve(options: ServeOptions, terminal: Terminal): Promise<number> {
  if (cluster.isWorker) {
    const { serveAsWorker } = await import("./cluster.ts");
    return serveAsWorker();
  }
  const { port, host } = options;
  const config = readSettings(options.config, terminal, {
    ...(port !== undefined && { WFH_PORT: port }),
    ...(host !== undefined && { WFH_HOST: host }),
  });
  const workers = workerCountOf(config);
  if (workers > 1) {
    // Loaded only here, as the server below: a supervisor needs none, and most servers are one process.
    const { supervise } = await import("./cluster.ts");
    return supervise(config, workers, terminal);
  }
  const log = openConfiguredLog(config);
  const onListening = ({ url, adminUrl, facts }: WorkerListening) => {
    log.info({ url, adminUrl, postalCodes: facts.postalCodeCount }, "listening");
    if (process.stderr.isTTY) terminal.err(renderBanner({ url, adminUrl }, config, facts));
  };
  const { runServer } = await import("./run-server.ts");
  return runServer({ config, log, onListening });
}
