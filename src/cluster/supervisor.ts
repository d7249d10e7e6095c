import cluster, { type Worker as Process } from "node:cluster";
import type { Log } from "../server/log.ts";
import { collect, counter, gauge, type Metric } from "../server/metrics/metric.ts";
import { processMetrics } from "../server/metrics/process-metrics.ts";
import type { Config } from "../server/settings/settings.ts";
import { type FromWorker, heartbeatMs, type ToWorker, type WorkerListening } from "./messages.ts";
import { MetricsAggregator } from "./metrics-aggregator.ts";
import { RestartPolicy } from "./restart-policy.ts";

/** Time that a worker has to end after its last responses, in milliseconds; then it is killed. */
const graceMs = 2_000;
/** Missed heartbeats in a row after which a worker is killed. Counted, so that a machine that was asleep kills none. */
const missedHeartbeatsMax = 6;

interface Worker {
  readonly number: number;
  readonly process: Process;
  isListening: boolean;
  missedHeartbeats: number;
}

/**
 * Runs several servers that share a port: starts them, replaces those that end, and stops them together. It opens neither
 * database nor port for itself (decision 0053).
 */
export class Supervisor {
  readonly #config: Config;
  readonly #count: number;
  readonly #log: Log;
  readonly #policy: RestartPolicy;
  readonly #workers = new Set<Worker>();
  readonly #aggregator = new MetricsAggregator<Worker>();
  readonly #metrics: readonly Metric[];
  readonly #restarts = new Set<NodeJS.Timeout>();
  readonly #started = Promise.withResolvers<WorkerListening>();
  readonly #broken = Promise.withResolvers<Error>();
  readonly #allEnded = Promise.withResolvers<void>();
  #reading: Promise<string> | undefined;
  #isStarted = false;
  /** Why all workers are stopped; undefined while they are not. */
  #shutdownReason: string | undefined;
  #isClean = true;
  #deaths = 0;

  /**
   * @param config settings of each worker.
   * @param count number of workers.
   */
  constructor(config: Config, count: number, log: Log) {
    this.#config = config;
    this.#count = count;
    this.#log = log;
    this.#policy = new RestartPolicy(count, () => performance.now());
    const stats = {
      wanted: count,
      serving: () => this.#listening().length,
      silent: () => this.#aggregator.silent,
      deaths: () => this.#deaths,
    };
    this.#metrics = [...supervisorMetrics(stats), ...processMetrics(0)];
    // Workers accept from one queue, which outlives each of them.
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    cluster.setupPrimary({
      args: ["serve"],
      serialization: "advanced",
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    setInterval(() => this.#killHungWorkers(), heartbeatMs).unref();
    process.on("exit", () => this.#killAll());
  }

  /**
   * Starts all workers. Resolves when all are listening.
   *
   * @throws {Error} with a message for the operator when one cannot start; all have ended then.
   */
  async start(): Promise<WorkerListening> {
    for (let number = 1; number <= this.#count; number += 1) this.#fork(number);
    try {
      return await this.#started.promise;
    } catch (cause) {
      await this.stop("failed start");
      throw cause;
    }
  }

  /** Resolves when workers cannot be started any more. */
  get broken(): Promise<Error> {
    return this.#broken.promise;
  }

  /** Has all workers look for new postal codes. */
  reload(): void {
    for (const worker of this.#workers) send(worker, { kind: "reload" });
  }

  /**
   * Has all workers finish their requests. Resolves to true when all of them could.
   *
   * @param reason for the log of the workers; they drain if it is SIGTERM.
   */
  async stop(reason: string): Promise<boolean> {
    this.#shutdownReason = reason;
    for (const timer of this.#restarts) clearTimeout(timer);
    for (const worker of this.#workers) send(worker, { kind: "stop", reason });
    const { drainMs, shutdownTimeoutMs } = this.#config;
    const timer = setTimeout(() => this.#killAll(), 2 * drainMs + shutdownTimeoutMs + graceMs);
    if (this.#workers.size > 0) await this.#allEnded.promise;
    clearTimeout(timer);
    return this.#isClean;
  }

  #fork(number: number): void {
    const forked = cluster.fork();
    const worker: Worker = { number, process: forked, isListening: false, missedHeartbeats: 0 };
    this.#workers.add(worker);
    forked.on("message", (message: FromWorker) => this.#receive(worker, message));
    forked.on("error", () => {
      // The system refused another process. Otherwise this is about a message to a worker that has ended.
      if (forked.process.pid === undefined) this.#onEnd(worker, null, null);
    });
    forked.once("exit", (code, signal) => this.#onEnd(worker, code, signal));
  }

  #receive(worker: Worker, message: FromWorker): void {
    worker.missedHeartbeats = 0;
    const { number } = worker;
    switch (message.kind) {
      case "hello":
        send(worker, { kind: "start", number, config: this.#config });
        if (this.#shutdownReason !== undefined) {
          send(worker, { kind: "stop", reason: this.#shutdownReason });
        }
        break;
      case "listening":
        this.#onListening(worker, message);
        break;
      case "failed":
        if (this.#isStarted) {
          this.#log.error({ worker: number, cause: message.message }, "a worker cannot start");
        }
        this.#started.reject(new Error(message.message));
        break;
      case "read-metrics":
        void this.#readMetrics().then(
          (text) => send(worker, { kind: "metrics", text }),
          (cause) => {
            this.#log.error({ cause: String(cause) }, "the metrics cannot be read");
            send(worker, { kind: "metrics", text: undefined });
          },
        );
        break;
      case "metrics":
        this.#aggregator.receive(worker, message.families);
        break;
      case "heartbeat":
        break;
    }
  }

  #listening(): readonly Worker[] {
    return [...this.#workers].filter(({ isListening }) => isListening);
  }

  #onListening(worker: Worker, listening: WorkerListening): void {
    worker.isListening = true;
    this.#policy.onStart();
    if (this.#listening().length < this.#count) return;
    this.#isStarted = true;
    this.#started.resolve(listening);
  }

  #onEnd(worker: Worker, code: number | null, signal: string | null): void {
    const { number, isListening } = worker;
    this.#workers.delete(worker);
    this.#aggregator.remove(worker);
    if (this.#shutdownReason !== undefined) {
      if (code !== 0) this.#isClean = false;
      if (this.#workers.size === 0) this.#allEnded.resolve();
      return;
    }
    // A reload of all processes at once (kill -HUP) may reach one that does not handle signals yet.
    if (!isListening && signal === "SIGHUP") {
      this.#fork(number);
      return;
    }
    this.#deaths += 1;
    const { pid } = worker.process.process;
    this.#log.error({ worker: number, pid, code, signal }, "a worker died");
    if (!this.#isStarted) {
      this.#started.reject(new Error(`Worker ${number} ended while it was starting.`));
    } else if (!isListening && this.#policy.onFailedStart() && this.#listening().length === 0) {
      this.#broken.resolve(new Error("No worker can be started."));
    } else {
      this.#restart(number);
    }
  }

  #restart(number: number): void {
    const delayMs = this.#policy.onDeath();
    if (delayMs > 0) {
      this.#log.warn({ worker: number, delayMs }, "workers die too often: this restart is delayed");
    }
    const timer = setTimeout(() => {
      this.#restarts.delete(timer);
      this.#fork(number);
    }, delayMs);
    this.#restarts.add(timer);
  }

  #killHungWorkers(): void {
    for (const worker of this.#workers) {
      worker.missedHeartbeats += 1;
      if (worker.missedHeartbeats <= missedHeartbeatsMax) continue;
      const { pid } = worker.process.process;
      this.#log.error({ worker: worker.number, pid }, "a worker does not respond and is killed");
      worker.process.process.kill("SIGKILL");
    }
  }

  #killAll(): void {
    for (const worker of this.#workers) worker.process.process.kill("SIGKILL");
  }

  /** Concurrent readings share one. */
  #readMetrics(): Promise<string> {
    this.#reading ??= this.#aggregator
      .read(
        this.#listening(),
        (worker) => send(worker, { kind: "read-metrics" }),
        () => collect(this.#metrics),
      )
      .finally(() => {
        this.#reading = undefined;
      });
    return this.#reading;
  }
}

/** Metrics of the workers as their supervisor sees them. */
export function supervisorMetrics(stats: {
  readonly wanted: number;
  serving(): number;
  silent(): number;
  deaths(): number;
}): readonly Metric[] {
  return [
    gauge("wfh_workers", "Workers that serve.", stats.serving),
    gauge("wfh_workers_wanted", "WFH_WORKERS.", () => stats.wanted),
    gauge(
      "wfh_workers_silent",
      "Workers that did not respond in time for this reading: their gauges are not in it.",
      stats.silent,
    ),
    counter("wfh_worker_deaths_total", "Workers that died.", stats.deaths),
  ];
}

/** A worker that has ended receives nothing. */
function send({ process: one }: Pick<Worker, "process">, message: ToWorker): void {
  if (one.isConnected()) one.process.send?.(message, () => {});
}
