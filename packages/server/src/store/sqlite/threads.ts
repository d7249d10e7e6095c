import { Worker } from "node:worker_threads";
import {
  type AbandonedCalls,
  createAbandonedCalls,
  type ErrorClasses,
  type RpcCall,
  RpcClient,
  remote,
} from "../../lib/rpc.ts";
import { type StartTimer, startTimer } from "../../lib/timer.ts";
import type { DiskSpace } from "../page-requests/disk-reserve.ts";
import type { BatchWriter } from "../page-requests/group-commit.ts";
import type { ServerDatabase, ServerQueries } from "../server-queries.ts";
import { fileLost, reasonOf, StoreError, StoreUnavailableError } from "../store-error.ts";
import { fileOf } from "./database-file.ts";
import { lockAsServer, refuseLostLog } from "./server-lock.ts";

// Node.js resolves what a thread runs, so the build does not see it and cannot rename it.
const threadFile = new URL(
  import.meta.url.endsWith(".ts") ? "./thread-main.ts" : "./thread-main.cjs",
  import.meta.url,
);

/** Milliseconds for a time-limited call: far more than a sync takes, less than callers wait. */
const deadlineMs = 5_000;

/** Data that a thread is started with. */
export interface SqliteThreadData {
  /** Path of the file; a script of another kind of database gets its address. */
  readonly file: string;
  readonly mode: "write" | "read";
  readonly abandoned: AbandonedCalls;
}

/** Script of a thread, and its timers; tests replace both. */
export interface SqliteThreadOptions extends Omit<SqliteThreadData, "abandoned"> {
  readonly errors: ErrorClasses;
  readonly script?: URL;
  readonly after?: StartTimer;
}

interface Running {
  readonly worker: Worker;
  readonly client: RpcClient;
}

/** A SQLite file's store, on a thread that starts with the first call, and again after a death. */
export class SqliteThread {
  readonly #options: SqliteThreadOptions;
  readonly #after: StartTimer;
  #running: Running | undefined;
  #lost: (cause: unknown) => void = () => {};
  #isClosed = false;
  #isTimeLimited = false;
  /** Why nothing can be done until the thread responds to a call that was abandoned. */
  #stalled: StoreUnavailableError | undefined;

  constructor(options: SqliteThreadOptions) {
    this.#options = options;
    this.#after = options.after ?? startTimer;
  }

  /**
   * From now on a call that takes longer than 5 seconds is abandoned, with all that wait: whether
   * it was done remains unknown. No other call is made before the thread responds to it, and then
   * the file is opened anew (decision 0045). Slow work, such as migrations, comes before.
   */
  limitTime(): void {
    this.#isTimeLimited = true;
  }

  /** Sets the listener for a lost file: its thread ended or stalled, or an error closed it. */
  onLost(lost: (cause: unknown) => void): void {
    this.#lost = lost;
  }

  /** Starts the thread, which takes it a while. Before the first call it keeps no process alive. */
  prepare(): void {
    try {
      this.#running ??= this.#start();
      this.#running.worker.unref();
    } catch {
      // The first call tries again, and tells its caller why it fails.
    }
  }

  /** Calls a method of the store on the thread. */
  readonly call: RpcCall = async (method, args) => {
    // A caller that comes late must not open the file again.
    if (this.#isClosed) throw closedError();
    if (this.#stalled !== undefined) throw this.#stalled;
    this.#running ??= this.#start();
    const { client, worker } = this.#running;
    worker.ref();
    const cancel = this.#isTimeLimited ? this.#after(deadlineMs, () => this.#stall()) : () => {};
    try {
      return await client.call(method, args);
    } catch (cause) {
      if ((cause as { code?: unknown }).code === fileLost) this.#lost(cause);
      throw cause;
    } finally {
      cancel();
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
    running?.client.close(closedError());
    await running?.worker.terminate();
  }

  #start(): Running {
    const { file, mode, script = threadFile, errors } = this.#options;
    const abandoned = createAbandonedCalls();
    const workerData: SqliteThreadData = { file, mode, abandoned };
    const worker = createThread(script, workerData);
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
    const reason = new StoreUnavailableError(
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
    const reason = new StoreUnavailableError("The thread of the database died", cause);
    client.close(reason);
    this.#lost(reason);
  }
}

/** @throws {StoreUnavailableError} when the system refuses another thread. */
function createThread(script: URL, workerData: SqliteThreadData): Worker {
  try {
    return new Worker(script, { workerData });
  } catch (cause) {
    const reason = reasonOf(cause);
    throw new StoreUnavailableError(`The thread of the database cannot start: ${reason}`, cause);
  }
}

function closedError(): StoreUnavailableError {
  return new StoreUnavailableError("The database has been closed");
}

const errors = [StoreError, StoreUnavailableError];

/** Methods by the names that a thread is called with. */
type Method = {
  [Group in keyof ServerQueries]: `${Group}.${keyof ServerQueries[Group] & string}`;
}[keyof ServerQueries];

/**
 * Reads beside the thread that writes, so that it never waits for a sync. Not what a server
 * reads in the background: without log-ins it does without the second thread, which takes 10 MB.
 */
const reads: ReadonlySet<string> = new Set<Method>([
  "logIn.listForms",
  "logIn.listHashForms",
  "logIn.findSession",
]);

/**
 * Opens a SQLite file, which is built into Node.js, for a running server. One thread writes,
 * another reads: both wait for the disk, and the thread that serves does not.
 *
 * @param threads what the threads run, in tests.
 */
export function serveSqlite(
  url: string,
  threads: Pick<SqliteThreadOptions, "script" | "after"> = {},
): ServerDatabase {
  const file = fileOf(url);
  refuseLostLog(file);
  const reader = new SqliteThread({ file, mode: "read", errors, ...threads });
  const writer = new SqliteThread({ file, mode: "write", errors, ...threads });
  const batches = createWriter(writer);
  writer.prepare();
  let release: ReturnType<typeof lockAsServer>;
  const call: RpcCall = (method, args) => (reads.has(method) ? reader : writer).call(method, args);
  return {
    call,
    api: remote(call),
    writers: [
      {
        ...batches,
        open: async (lost) => {
          reader.limitTime();
          await batches.open(lost);
        },
      },
    ],
    lockAsServer: () => {
      release = lockAsServer(file);
      return release !== undefined;
    },
    close: async () => {
      await reader.close();
      await writer.close();
      release?.();
    },
  };
}

/** Writes batches of page requests on the thread of a file, one message each way. */
export function createWriter(thread: SqliteThread): BatchWriter {
  return {
    open: async (lost) => {
      thread.onLost(lost);
      thread.limitTime();
      await thread.call("thread.open", []);
    },
    // It is what `SqliteDatabase.write` returns.
    write: (rows) => thread.call("thread.write", [rows]) as Promise<number>,
    // It is what `SqliteDatabase.diskSpace` returns.
    check: () => thread.call("thread.check", []) as Promise<DiskSpace>,
    // The thread is log-ins' too, and closed with the database.
    close: async () => {},
  };
}
