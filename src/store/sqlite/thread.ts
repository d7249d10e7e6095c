import { Worker } from "node:worker_threads";
import type { WriterClock } from "../page-requests/writer-connection.ts";
import type {
  SqliteRequest,
  SqliteResponse,
  SqliteResult,
  SqliteTask,
} from "../sqlite-messages.ts";
import { StoreError } from "../store-error.ts";

// Node.js resolves what a thread runs, so the build does not see it and cannot rename it.
const workerFile = new URL(
  import.meta.url.endsWith(".ts") ? "../sqlite-worker.ts" : "../sqlite-worker.js",
  import.meta.url,
);

/** Time for a task once the time is limited, in milliseconds: far more than a sync takes, and less than callers wait. */
const deadlineMs = 5_000;

interface Pending {
  readonly resolve: (result: SqliteResult) => void;
  readonly reject: (cause: Error) => void;
  readonly callOff: () => void;
}

/** What a thread runs, and how it waits; tests put their own in its place. */
export interface SqliteThreadOptions {
  readonly file?: URL;
  readonly after?: WriterClock["after"];
}

const realAfter: WriterClock["after"] = (delayMs, run) => {
  const timer = setTimeout(run, delayMs).unref();
  return () => clearTimeout(timer);
};

/** A SQLite file on a thread of its own. The thread is started when it is first needed, and again when it died. */
export class SqliteThread {
  readonly #file: URL;
  readonly #after: WriterClock["after"];
  #worker: Worker | undefined;
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;
  #turn: Promise<unknown> = Promise.resolve();
  #lastTurn = 0;
  /** The latest of those who waited while somebody else waited for a lock in vain, and what that one got. */
  #refused = { upTo: 0, reason: new Error("The file is not locked") };
  #lost: (cause: unknown) => void = () => {};
  #isOpen = false;
  #isClosed = false;
  #isTimeLimited = false;
  /** Why nothing can be done until the thread responds to what it was given too long ago. */
  #stalled: Error | undefined;

  constructor({ file = workerFile, after = realAfter }: SqliteThreadOptions = {}) {
    this.#file = file;
    this.#after = after;
  }

  /** Whether the thread had the file open when it last answered, and lives. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /**
   * From now on a task that takes longer than 5 seconds is given up, with all that wait: whether it was done remains
   * unknown. Nothing else is done before the thread responds to it, and then the file is opened anew (decision 0045).
   * Work that takes its time, such as a migration, comes before.
   */
  limitTime(): void {
    this.#isTimeLimited = true;
  }

  /** What to call when the file can no longer be written: the thread ended or stalled, or an error closed the file. */
  onLost(lost: (cause: unknown) => void): void {
    this.#lost = lost;
  }

  /**
   * Runs something when everybody before has finished: a transaction is no place for the statements of others.
   * Rejects, and runs nothing, where meanwhile somebody before has waited in vain for the lock of another process:
   * everybody would wait as long again, and all who come after them.
   */
  exclusively<Result>(run: () => Promise<Result>): Promise<Result> {
    const turn = ++this.#lastTurn;
    return this.#inTurn(() => {
      const { upTo, reason } = this.#refused;
      return turn <= upTo ? Promise.reject(reason) : run();
    });
  }

  async #inTurn<Result>(run: () => Promise<Result>): Promise<Result> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = this.#turn;
    this.#turn = promise;
    await before;
    try {
      return await run();
    } finally {
      resolve();
    }
  }

  /** Hands a task to the thread; one message each way. Rejects when it failed or the thread died. */
  perform(task: SqliteTask): Promise<SqliteResult> {
    // Whoever still waits for its turn must not open the file again behind everybody's back.
    if (this.#isClosed) return Promise.reject(new Error("The SQLite file has been closed"));
    if (this.#stalled !== undefined) return Promise.reject(this.#stalled);
    const { promise, resolve, reject } = Promise.withResolvers<SqliteResult>();
    this.#worker ??= this.#start();
    const id = ++this.#lastId;
    // Only a thread with something to do keeps the process alive.
    if (this.#pending.size === 0) this.#worker.ref();
    const callOff = this.#isTimeLimited ? this.#after(deadlineMs, () => this.#stall()) : () => {};
    this.#pending.set(id, { resolve, reject, callOff });
    this.#worker.postMessage({ id, task } satisfies SqliteRequest);
    return promise;
  }

  /** Closes the file, after whoever is using it, and ends the thread. */
  async close(): Promise<void> {
    await this.#inTurn(async () => {
      if (this.#worker !== undefined) await this.perform({ kind: "close" }).catch(() => {});
      this.#isClosed = true;
      const worker = this.#worker;
      this.#worker = undefined;
      this.#isOpen = false;
      await worker?.terminate();
    });
  }

  #start(): Worker {
    const worker = new Worker(this.#file);
    worker.on("message", (response: SqliteResponse) => this.#settle(response, worker));
    worker.on("error", (cause) => this.#end(worker, cause));
    worker.on("exit", (code) => this.#end(worker, new Error(`The thread ended with code ${code}`)));
    return worker;
  }

  #settle(
    { id, result, error, isLocked, isLasting, isOpen }: SqliteResponse,
    worker: Worker,
  ): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (this.#pending.size === 0) worker.unref();
    if (pending === undefined) {
      // It was given up. The file stays closed to all until somebody opens it anew.
      if (this.#worker === worker) this.#stalled = undefined;
      return;
    }
    pending.callOff();
    const wasOpen = this.#isOpen;
    if (this.#worker === worker) this.#isOpen = isOpen;
    if (error === undefined) {
      pending.resolve(result);
      return;
    }
    const reason = isLasting ? new StoreError(error) : new Error(error);
    if (isLocked) this.#refused = { upTo: this.#lastTurn, reason };
    pending.reject(reason);
    if (wasOpen && !isOpen) this.#lost(reason);
  }

  #stall(): void {
    const reason = new Error(
      `The disk of the SQLite file has not responded for ${deadlineMs / 1_000} seconds`,
    );
    this.#stalled = reason;
    this.#refused = { upTo: this.#lastTurn, reason };
    this.#giveUp(reason);
  }

  #giveUp(reason: Error): void {
    this.#isOpen = false;
    for (const { reject, callOff } of this.#pending.values()) {
      callOff();
      reject(reason);
    }
    this.#pending.clear();
    this.#lost(reason);
  }

  #end(worker: Worker, cause: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#stalled = undefined;
    this.#giveUp(new Error("The thread of the SQLite file died", { cause }));
  }
}
