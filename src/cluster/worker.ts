import cluster from "node:cluster";
import type { MetricFamily } from "../server/metrics/metric.ts";
import type { ClusterMetrics } from "../server/metrics/metrics.ts";
import {
  type FromWorker,
  heartbeatMs,
  type ToWorker,
  type WorkerListening,
  type WorkerStart,
} from "./messages.ts";

/**
 * Joins the supervisor that started this process; resolves once it has sent the settings.
 *
 * @param onStop gets the reason, and a cause where something went wrong.
 */
export async function joinCluster(
  onReload: () => void,
  onStop: (name: string, cause?: string) => void,
) {
  const started = Promise.withResolvers<WorkerStart>();
  let readOwn = (): Promise<readonly MetricFamily[]> => Promise.resolve([]);
  let readAll: PromiseWithResolvers<string> | undefined;
  process.on("message", (message: ToWorker) => {
    switch (message.kind) {
      case "start":
        started.resolve(message);
        break;
      case "reload":
        onReload();
        break;
      case "read-metrics":
        // The supervisor waits a second for metrics that cannot be read.
        readOwn().then(
          (families) => send({ kind: "metrics", families }),
          () => {},
        );
        break;
      case "metrics":
        if (message.text === undefined) readAll?.reject(new Error("The metrics cannot be read"));
        else readAll?.resolve(message.text);
        readAll = undefined;
        break;
      case "stop":
        onStop(message.reason);
        break;
    }
  });
  cluster.worker?.on("disconnect", () => {
    // Else Node.js ends this process at once, in the middle of its responses.
    if (cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true;
    readAll?.reject(new Error("The supervisor has died"));
    onStop("disconnect", "the supervisor has died");
  });
  setInterval(() => void send({ kind: "heartbeat" }), heartbeatMs).unref();
  await send({ kind: "hello" });
  const { number, config } = await started.promise;
  const metrics: ClusterMetrics = {
    worker: number,
    onRead: (read) => {
      readOwn = read;
    },
    readAll: () => {
      if (!process.connected) return Promise.reject(new Error("The supervisor has died"));
      readAll ??= Promise.withResolvers<string>();
      void send({ kind: "read-metrics" });
      return readAll.promise;
    },
  };
  return {
    number,
    config,
    metrics,
    reportListening: (listening: WorkerListening) => void send({ kind: "listening", ...listening }),
    /** Resolves once the supervisor has the reason why this worker cannot start. */
    reportFailure: (cause: unknown) =>
      send({ kind: "failed", message: cause instanceof Error ? cause.message : String(cause) }),
  };
}

/** Resolves once the message is on its way, or cannot be sent because the supervisor has died. */
function send(message: FromWorker): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (process.connected) process.send?.(message, () => resolve());
  else resolve();
  return promise;
}
