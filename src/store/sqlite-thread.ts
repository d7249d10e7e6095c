import { Worker } from "node:worker_threads";
import type { SqliteRequest, SqliteResponse, SqliteResult, SqliteTask } from "./sqlite-messages.ts";

// Node.js resolves what a thread runs, so the build does not see it and cannot rename it.
const workerFile = new URL(
  import.meta.url.endsWith(".ts") ? "./sqlite-worker.ts" : "./sqlite-worker.js",
  import.meta.url,
);

interface Pending {
  readonly resolve: (result: SqliteResult) => void;
  readonly reject: (cause: Error) => void;
}

/** A SQLite file on a thread of its own. The thread is started when it is first needed, and again when it died. */
export class SqliteThread {
  readonly #file: URL;
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

  /** @param file what the thread runs. */
  constructor(file: URL = workerFile) {
    this.#file = file;
  }

  /** Whether the thread had the file open when it last answered, and lives. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** What to call when the thread ends by itself. */
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
    const { promise, resolve, reject } = Promise.withResolvers<SqliteResult>();
    this.#worker ??= this.#start();
    const id = ++this.#lastId;
    // Only a thread with something to do keeps the process alive.
    if (this.#pending.size === 0) this.#worker.ref();
    this.#pending.set(id, { resolve, reject });
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

  #settle({ id, result, error, isLocked, isOpen }: SqliteResponse, worker: Worker): void {
    if (this.#worker === worker) this.#isOpen = isOpen;
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (this.#pending.size === 0) worker.unref();
    if (error === undefined) {
      pending?.resolve(result);
      return;
    }
    const reason = new Error(error);
    if (isLocked) this.#refused = { upTo: this.#lastTurn, reason };
    pending?.reject(reason);
  }

  #end(worker: Worker, cause: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#isOpen = false;
    const reason = new Error("The thread of the SQLite file died", { cause });
    for (const { reject } of this.#pending.values()) reject(reason);
    this.#pending.clear();
    this.#lost(reason);
  }
}
