import { Worker } from "node:worker_threads";
import { AbandonedCalls, type Call, type ErrorClasses, RpcClient } from "../../lib/rpc.ts";
import type { WriterClock } from "../page-requests/writer-connection.ts";
import { fileLost } from "../store-error.ts";

// Node.js resolves what a thread runs, so the build does not see it and cannot rename it.
const threadFile = new URL(
  import.meta.url.endsWith(".ts") ? "./thread-main.ts" : "./thread-main.js",
  import.meta.url,
);

/** Time for a call once the time is limited, in milliseconds: far more than a sync takes, and less than callers wait. */
const deadlineMs = 5_000;

/** What a thread is started with. */
export interface SqliteThreadData {
  readonly file: string;
  readonly mode: "write" | "read";
  readonly memory: SharedArrayBuffer;
}

/** What a thread runs, and how it waits; tests put their own in its place. */
export interface SqliteThreadOptions extends Omit<SqliteThreadData, "memory"> {
  readonly errors: ErrorClasses;
  readonly script?: URL;
  readonly after?: WriterClock["after"];
}

const realAfter: WriterClock["after"] = (delayMs, run) => {
  const timer = setTimeout(run, delayMs).unref();
  return () => clearTimeout(timer);
};

interface Running {
  readonly worker: Worker;
  readonly client: RpcClient;
}

/** The store of a SQLite file, on a thread that is started with the first call, and again when it died. */
export class SqliteThread {
  readonly #options: SqliteThreadOptions;
  readonly #after: WriterClock["after"];
  #running: Running | undefined;
  #lost: (cause: unknown) => void = () => {};
  #isClosed = false;
  #isTimeLimited = false;
  /** Why nothing can be done until the thread responds to a call that was abandoned. */
  #stalled: Error | undefined;

  constructor(options: SqliteThreadOptions) {
    this.#options = options;
    this.#after = options.after ?? realAfter;
  }

  /**
   * From now on a call that takes longer than 5 seconds is abandoned, with all that wait: whether it was done remains
   * unknown. No other call is made before the thread responds to it, and then the file is opened anew (decision 0045).
   * Work that takes its time, such as a migration, comes before.
   */
  limitTime(): void {
    this.#isTimeLimited = true;
  }

  /** What to call when the file can no longer be written: the thread ended or stalled, or an error closed the file. */
  onLost(lost: (cause: unknown) => void): void {
    this.#lost = lost;
  }

  /** Calls a method of the store on the thread. */
  readonly call: Call = async (method, args) => {
    // A caller that comes late must not open the file again.
    if (this.#isClosed) throw new Error("The SQLite file has been closed");
    if (this.#stalled !== undefined) throw this.#stalled;
    this.#running ??= this.#start();
    const { client } = this.#running;
    const callOff = this.#isTimeLimited ? this.#after(deadlineMs, () => this.#stall()) : () => {};
    try {
      return await client.call(method, args);
    } catch (cause) {
      if ((cause as { code?: unknown }).code === fileLost) this.#lost(cause);
      throw cause;
    } finally {
      callOff();
    }
  };

  /** Closes the file, after the calls that have been made, and ends the thread. */
  async close(): Promise<void> {
    const close = () => this.call("thread.close", []);
    // The first one may wait behind a lock, and is refused with everything that does.
    if (this.#running !== undefined) await close().catch(() => close().catch(() => {}));
    this.#isClosed = true;
    const running = this.#running;
    this.#running = undefined;
    running?.client.close(new Error("The SQLite file has been closed"));
    await running?.worker.terminate();
  }

  #start(): Running {
    const { file, mode, script = threadFile, errors } = this.#options;
    const abandoned = new AbandonedCalls();
    const workerData: SqliteThreadData = { file, mode, memory: abandoned.memory };
    const worker = new Worker(script, { workerData });
    const client = new RpcClient({
      port: worker,
      errors,
      abandoned,
      onLate: () => {
        if (this.#running?.worker === worker) this.#stalled = undefined;
      },
    });
    worker.on("error", (cause) => this.#end(worker, cause));
    worker.on("exit", (code) => this.#end(worker, new Error(`The thread ended with code ${code}`)));
    return { worker, client };
  }

  #stall(): void {
    const reason = new Error(
      `The disk of the SQLite file has not responded for ${deadlineMs / 1_000} seconds`,
    );
    this.#stalled = reason;
    this.#running?.client.abandon(reason);
    this.#lost(reason);
  }

  #end(worker: Worker, cause: unknown): void {
    if (this.#running?.worker !== worker) return;
    const { client } = this.#running;
    this.#running = undefined;
    this.#stalled = undefined;
    const reason = new Error("The thread of the SQLite file died", { cause });
    client.close(reason);
    this.#lost(reason);
  }
}
