import { joinCluster } from "../../../cluster/worker.ts";
import { openLog } from "../../../server/log.ts";
import { requestReload, requestShutdown } from "../../../server/shutdown.ts";
import { exitCodes } from "../../exit-codes.ts";
import { runServer } from "./run-server.ts";

/** Runs this process as a worker of a supervisor: an ordinary server with settings from there (decision 0053). */
export async function serveAsWorker(): Promise<number> {
  const worker = await joinCluster({
    onReload: requestReload,
    onStop: (name, cause) => requestShutdown(cause === undefined ? { name } : { name, cause }),
  });
  const { config, number, metrics } = worker;
  const log = openLog(config.logLevel).child({ worker: number });
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
