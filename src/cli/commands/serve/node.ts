import cluster from "node:cluster";
import { holdsMs } from "../../../cluster/balance.ts";
import { pulseMs } from "../../../cluster/heartbeat.ts";
import type { FromWorker, ToWorker, WorkerStart } from "../../../cluster/messages.ts";
import { createRemoteServices, type RemoteServices } from "../../../cluster/remote-services.ts";
import type { Readiness } from "../../../domain/page-requests/readiness.ts";
import type { Listening } from "../../../server/http/listener.ts";
import { type Log, openLog } from "../../../server/log.ts";
import type { MetricSamples } from "../../../server/metrics/samples.ts";
import { startService } from "../../../service.ts";
import { exitCodes } from "../../exit-codes.ts";
import { openServedGazetteer } from "../../gazetteer.ts";
import { followGazetteer } from "./follow-gazetteer.ts";
import { onBug, type ShutdownReason } from "./shutdown-signal.ts";

// This file is one of several processes that share a port. What needs to be one for all, the first process has
// (decision 0041).

const started = Promise.withResolvers<WorkerStart>();
const stopped = Promise.withResolvers<ShutdownReason>();
let readiness: Readiness = "database";
let lookAgain = () => {};
let shed: Listening["shed"] = () => {};
let count = (_growingOnly: boolean): Promise<MetricSamples> => Promise.resolve([]);
let remote: RemoteServices | undefined;

/**
 * The first process gets the signals too, from a terminal or a service manager, and passes them on. SIGUSR1 would open the
 * inspector of Node.js.
 */
for (const name of ["SIGTERM", "SIGINT", "SIGHUP", "SIGUSR1"] as const) process.on(name, () => {});
onBug(stopped.resolve);
process.on("message", hear);
cluster.worker?.on("disconnect", () => {
  // Else Node.js ends this process on the spot, in the middle of its answers.
  if (cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true;
  remote?.lose();
  stopped.resolve({ name: "disconnect", cause: "the first process of the server is gone" });
});
await say({ kind: "hello" });
setInterval(() => void say({ kind: "alive" }), pulseMs).unref();
process.exit(await run(await started.promise));

function hear(message: ToWorker): void {
  switch (message.kind) {
    case "start":
      ({ readiness } = message);
      started.resolve(message);
      break;
    case "answers":
      remote?.settle(message.answers);
      break;
    case "ready":
      ({ readiness } = message);
      break;
    case "shed":
      shed(message.surplus);
      break;
    case "count":
      void sayCounts(message.growingOnly);
      break;
    case "look-again":
      lookAgain();
      break;
    case "stop":
      stopped.resolve({ name: "stop" });
      break;
  }
}

function say(message: FromWorker): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (process.connected) process.send?.(message, () => resolve());
  else resolve();
  return promise;
}

async function sayCounts(growingOnly: boolean): Promise<void> {
  await say({ kind: "counted", figures: await count(growingOnly), growingOnly });
}

async function run(start: WorkerStart): Promise<number> {
  const log = openLog(start.config.logLevel).child({ worker: start.number });
  let listening: Listening;
  try {
    listening = await serve(start, log);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    await say({ kind: "failed", message, code });
    return exitCodes.failed;
  }
  log.info({ pid: process.pid }, "worker is listening");
  const { url, adminUrl } = listening;
  void say({ kind: "listening", url, adminUrl });
  ({ shed } = listening);
  setInterval(
    () => void say({ kind: "holds", connections: listening.connections() }),
    holdsMs,
  ).unref();
  const { name, cause } = await stopped.promise;
  if (cause !== undefined) {
    log.error({ reason: name, cause }, "worker stops");
    void say({ kind: "leaving" });
  }
  const clean = await listening.close();
  // Nobody reads them once all processes end.
  if (cause !== undefined) await sayCounts(false);
  return clean && cause === undefined ? exitCodes.done : exitCodes.failed;
}

function serve({ config, secretKeys, number }: WorkerStart, log: Log): Promise<Listening> {
  const services = createRemoteServices({
    send: (asks) => void say({ kind: "asks", asks }),
    queueMax: config.pageRequestQueueMax,
  });
  remote = services;
  const gazetteer = openServedGazetteer(config.gazetteer);
  ({ lookAgain } = followGazetteer(gazetteer, log));
  // Transactions are watched by the first process, where they happen.
  const store = { ...services, readiness: () => readiness, onBatch: () => {} };
  const { readFigures: readAll } = services;
  const offer = (read: typeof count) => {
    count = read;
  };
  const figures = { worker: number, offer, readAll };
  return startService({
    config,
    gazetteer,
    store,
    secretKeys,
    log,
    sharedMetrics: figures,
  });
}
