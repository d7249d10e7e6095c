import cluster, { type Worker } from "node:cluster";
import { fileURLToPath } from "node:url";
import type { Log } from "../server/log.ts";
import type { MetricSamples } from "../server/metrics/samples.ts";
import type { SupervisorStats } from "../server/metrics/supervisor-metrics.ts";
import { createBalance } from "./balance.ts";
import { createPulse, pulseMs } from "./heartbeat.ts";
import type { Addresses, FromWorker, ToWorker, WorkerStart } from "./messages.ts";
import { createFigureBook } from "./metrics-aggregator.ts";
import { createRestartPolicy, type RestartPolicy } from "./restart-policy.ts";
import { type Desk, openDesk, type SharedServices } from "./shared-services.ts";

/** Time that a worker has to end beyond the one for its last answers, in milliseconds; then it is killed. */
const graceMs = 2_000;
/** Time for a worker to say that it is listening, in milliseconds: it reads an artifact of some 100 MB at most. */
const startMs = 30_000;

/** How often workers say what they have counted, in milliseconds: so much of it is lost at most when one is killed. */
const countIntervalMs = 5_000;

/** A worker could not start. `code` is the system's (`EADDRINUSE`, …), where there is one. */
class WorkerStartError extends Error {
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.name = "WorkerStartError";
    this.code = code;
  }
}

/** What a crew is made of. */
export interface SupervisorDeps {
  /** What each worker runs. */
  readonly file: URL;
  readonly count: number;
  /** What workers start with, beside their number. */
  readonly start: () => Omit<WorkerStart, "number">;
  readonly services: Omit<SharedServices, "readFigures">;
  /** Figures of this process. */
  readonly figures: () => Promise<MetricSamples>;
  readonly log: Log;
  /** Time to finish what has begun, in milliseconds. */
  readonly shutdownTimeoutMs: number;
}

/** A worker from its start to its end. */
interface Member {
  readonly number: number;
  readonly worker: Worker;
  readonly desk: Desk;
  state: "starting" | "listening" | "leaving";
  /** Connections that it was last asked to end. */
  shed: number;
  startTimer: NodeJS.Timeout | undefined;
}

/**
 * The workers of a server, which share its port. One that dies is replaced (decision 0041); they end together.
 */
export class Supervisor {
  readonly #parts: SupervisorDeps;
  readonly #policy: RestartPolicy;
  readonly #members = new Set<Member>();
  readonly #pulse = createPulse<Member>();
  readonly #balance = createBalance<Member>();
  readonly #figures = createFigureBook<Member>({
    own: () => this.#parts.figures(),
    ask: (member) => say(member, { kind: "count", growingOnly: false }),
    after: (delayMs, run) => {
      const timer = setTimeout(run, delayMs);
      return () => clearTimeout(timer);
    },
  });
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #addresses = Promise.withResolvers<Addresses>();
  readonly #broken = Promise.withResolvers<Error>();
  readonly #allGone = Promise.withResolvers<void>();
  #isRunning = false;
  #isStopping = false;
  #isClean = true;
  #deaths = 0;

  constructor(parts: SupervisorDeps) {
    this.#parts = parts;
    this.#policy = createRestartPolicy(parts.count, () => performance.now());
    // Who has time takes the next connection, from a queue that outlives each of them.
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    cluster.setupPrimary({
      exec: fileURLToPath(parts.file),
      args: [],
      serialization: "advanced",
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    setInterval(() => this.#giveUpSilent(), pulseMs).unref();
    setInterval(() => this.tell({ kind: "count", growingOnly: true }), countIntervalMs).unref();
    // Whoever ends this process at once leaves no worker behind.
    process.on("exit", () => this.#kill());
  }

  /**
   * Starts all workers. Resolves to the addresses when all are listening.
   *
   * @throws {WorkerStartError} when one could not; none is left then.
   */
  async start(): Promise<Addresses> {
    for (let number = 1; number <= this.#parts.count; number += 1) this.#fork(number);
    try {
      return await this.#addresses.promise;
    } catch (cause) {
      await this.stop();
      throw cause;
    }
  }

  /** Resolves when no worker can be started any more. */
  get broken(): Promise<Error> {
    return this.#broken.promise;
  }

  /** Says something to all workers. */
  tell(message: ToWorker): void {
    for (const member of this.#members) say(member, message);
  }

  /** How many workers there are. */
  stats(): SupervisorStats {
    return {
      serving: this.#serving().length,
      wanted: this.#parts.count,
      silent: this.#figures.silent(),
      deaths: this.#deaths,
    };
  }

  #serving(): readonly Member[] {
    return [...this.#members].filter(({ state }) => state === "listening");
  }

  /** Has all workers finish what they have begun. Resolves to true when all of them could. */
  async stop(): Promise<boolean> {
    this.#isStopping = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.tell({ kind: "stop" });
    const timer = setTimeout(() => this.#kill(), this.#parts.shutdownTimeoutMs + graceMs);
    if (this.#members.size > 0) await this.#allGone.promise;
    clearTimeout(timer);
    return this.#isClean;
  }

  #kill(): void {
    for (const { worker } of this.#members) worker.process.kill("SIGKILL");
  }

  #giveUpSilent(): void {
    for (const { number, worker } of this.#pulse.look(this.#members)) {
      const { pid } = worker.process;
      this.#parts.log.error({ worker: number, pid }, "a worker does not answer: it is killed");
      worker.process.kill("SIGKILL");
    }
  }

  #fork(number: number): void {
    const worker = cluster.fork();
    const services = { ...this.#parts.services, readFigures: () => this.#readFigures() };
    const desk = openDesk(services, (answers) => say({ worker }, { kind: "answers", answers }));
    const startTimer = setTimeout(() => worker.process.kill("SIGKILL"), startMs);
    const member: Member = { number, worker, desk, state: "starting", shed: 0, startTimer };
    this.#members.add(member);
    worker.on("message", (message: FromWorker) => this.#hear(member, message));
    worker.on("error", () => {
      // The system has refused a further process. Else it is a message to a worker whose end is told by `exit`.
      if (worker.process.pid === undefined) this.#end(member, null, null);
    });
    worker.once("exit", (code, signal) => {
      const end = () => this.#end(member, code, signal);
      // What it has said may come after its end.
      if (worker.isConnected()) worker.once("disconnect", end);
      else end();
    });
  }

  #hear(member: Member, message: FromWorker): void {
    this.#pulse.heard(member);
    switch (message.kind) {
      case "hello":
        say(member, { kind: "start", number: member.number, ...this.#parts.start() });
        if (this.#isStopping) say(member, { kind: "stop" });
        break;
      case "asks":
        member.desk.take(message.asks);
        break;
      case "holds":
        this.#level(member, message.connections);
        break;
      case "counted":
        if (message.growingOnly) this.#figures.keep(member, message.figures);
        else this.#figures.hear(member, message.figures);
        break;
      case "listening":
        this.#welcome(member, message);
        break;
      case "leaving":
        if (member.state === "listening") this.#replaceLater(member);
        member.state = "leaving";
        break;
      case "failed":
        if (this.#isRunning) this.#logFailedStart(member, message.message);
        this.#addresses.reject(new WorkerStartError(message.message, message.code));
        break;
    }
  }

  /** Callers keep their connections, and so whom they have got; who has too many sends some of them on. */
  #level(member: Member, connections: number): void {
    if (member.state !== "listening") return;
    const shed = this.#balance.heard(member, connections, this.#serving());
    if (shed > 0 || member.shed > 0) {
      say(member, { kind: "shed", surplus: { connections: shed, kept: connections - shed } });
    }
    member.shed = shed;
  }

  #logFailedStart({ number }: Member, cause: string): void {
    this.#parts.log.error({ worker: number, cause }, "a worker cannot start");
  }

  #welcome(member: Member, { url, adminUrl }: Addresses): void {
    member.state = "listening";
    clearTimeout(member.startTimer);
    this.#policy.started();
    if (this.stats().serving < this.#parts.count) return;
    this.#isRunning = true;
    this.#addresses.resolve({ url, adminUrl });
  }

  #end(member: Member, code: number | null, signal: string | null): void {
    const { number, worker, state } = member;
    clearTimeout(member.startTimer);
    this.#members.delete(member);
    this.#figures.leave(member);
    if (this.#isStopping) {
      if (code !== 0) this.#isClean = false;
      if (this.#members.size === 0) this.#allGone.resolve();
      return;
    }
    // A reload of all processes at once (kill -HUP) may reach one that does not listen for signals yet.
    if (state === "starting" && signal === "SIGHUP") {
      this.#fork(number);
      return;
    }
    this.#deaths += 1;
    const { pid } = worker.process;
    this.#parts.log.error({ worker: number, pid, code, signal }, "a worker died");
    if (!this.#isRunning) {
      this.#addresses.reject(new WorkerStartError(`Worker ${number} ended while it was starting.`));
    } else if (state === "starting" && this.#policy.failedToStart() && this.stats().serving === 0) {
      this.#broken.resolve(new WorkerStartError("No worker can be started."));
    } else if (state !== "leaving") {
      this.#replaceLater(member);
    }
  }

  #readFigures(): Promise<string> {
    // One that is starting has counted nothing.
    return this.#figures.read([...this.#members].filter(({ state }) => state !== "starting"));
  }

  #replaceLater({ number }: Member): void {
    if (this.#isStopping) return;
    const delayMs = this.#policy.died();
    if (delayMs === 0) {
      this.#fork(number);
      return;
    }
    this.#parts.log.warn({ worker: number, delayMs }, "workers die too often: the next one waits");
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#fork(number);
    }, delayMs);
    this.#timers.add(timer);
  }
}

/** A worker that has gone hears nothing. */
function say({ worker }: Pick<Member, "worker">, message: ToWorker): void {
  if (worker.isConnected()) worker.process.send?.(message, () => {});
}
