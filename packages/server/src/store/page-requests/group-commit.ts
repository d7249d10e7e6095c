import type { Readiness } from "../../domain/page-requests/page-request-log.ts";
import { NotStoredError } from "../../domain/page-requests/page-request-log.ts";
import { BatchQueue } from "../../lib/batch-queue.ts";
import type { StartTimer } from "../../lib/timer.ts";
import type { RowValues } from "./columns.ts";
import {
  type DiskReserve,
  DiskReserveError,
  type DiskSpace,
  refuseBelowReserve,
  reserveBytesOf,
} from "./disk-reserve.ts";

/** Shortest and longest wait before a broken writer is opened again, in milliseconds. */
const backOffMs = { least: 50, most: 2_000 };
/** Interval between checks of a writer that works, in milliseconds. */
const checkMs = 1_000;

/** Time and chance, as far as writing needs them. */
export interface WriterClock {
  readonly after: StartTimer;
  /** From 0 to less than 1. */
  readonly random: () => number;
}

/** Writes batches of rows, one at a time, over a connection that may be lost and opened anew. */
export interface BatchWriter<Row = RowValues> {
  /**
   * Makes it ready: called first, and again after a batch failed or the connection was lost.
   * Whatever was open before is closed; a row is written to try whether writing is possible.
   *
   * @param lost called when it is found out that no further batch can be written.
   */
  open(lost: (cause: unknown) => void): Promise<void>;
  /**
   * Resolves once all rows are synced to disk, to how many are not stored since another network
   * used their event key. Rejects when they are not, or may not be: also after 5 seconds.
   */
  write(rows: readonly Row[]): Promise<number>;
  /**
   * Resolves to the space on its disk, also while a batch is written; rejects when no further one
   * can be. Only for a writer whose disk is ours.
   */
  check?(): Promise<DiskSpace>;
  close(): Promise<void>;
}

interface WriterConnectionDeps<Row> extends Pick<GroupCommitDeps<Row>, "clock" | "prepare"> {
  readonly writer: BatchWriter<Row>;
  /** Called when it can no longer write, and again with each reason that is found until it can. */
  readonly down: (cause: unknown) => void;
  /** Called when it may take a batch again after it was down. */
  readonly up: () => void;
  /** Called with the space that a check has found; throws when that is too little to write. */
  readonly checked: (space: DiskSpace) => void;
}

/** One writer and what becomes of it: idle, writing a batch, or down and trying to come back. */
class WriterConnection<Row> {
  readonly #deps: WriterConnectionDeps<Row>;
  #state: "idle" | "writing" | "down" | "closed" = "down";
  /** Attempts since the last batch that was written. */
  #attempts = 0;
  #cancel: () => void = () => {};
  /** Counts openings, to tell a former connection from the present one. */
  #opening = 0;
  /** Why nothing can be written after the present batch. */
  #lost: { readonly cause: unknown } | undefined;
  #work: Promise<unknown> = Promise.resolve();

  constructor(deps: WriterConnectionDeps<Row>) {
    this.#deps = deps;
  }

  get isIdle(): boolean {
    return this.#state === "idle";
  }

  /** True when it can write, now or after its present batch. */
  get isHealthy(): boolean {
    return this.#state === "idle" || this.#state === "writing";
  }

  /** Opens the writer. Rejects with the reason when that fails, and opens it again later. */
  open(): Promise<void> {
    const opened = this.#open();
    this.#work = opened.catch(() => {});
    return opened;
  }

  /** Writes one batch on an idle connection. Rejects when it is not on disk for certain. */
  async write(rows: readonly Row[]): Promise<number> {
    this.#state = "writing";
    const written = this.#deps.writer.write(rows);
    this.#work = written.catch(() => {});
    try {
      const keyConflicts = await written;
      this.#attempts = 0;
      if (this.#state === "writing") this.#state = "idle";
      if (this.#lost !== undefined) this.#fail(this.#lost.cause);
      return keyConflicts;
    } catch (cause) {
      // What failed once is never tried again on the same handle: after a failed sync the system
      // may have dropped the data and report success the second time.
      this.#fail(cause);
      throw cause;
    }
  }

  /** Waits for the batch in flight, then closes the writer. */
  async close(): Promise<void> {
    await this.#work;
    this.#state = "closed";
    this.#cancel();
    await this.#work;
    await this.#deps.writer.close();
  }

  async #open(): Promise<void> {
    const { writer, prepare, up } = this.#deps;
    const isFirst = this.#opening === 0;
    try {
      await prepare();
      // The first time a disk that is nearly full is no failure: log-ins have its reserve.
      if (!isFirst) await this.#check();
      const opening = ++this.#opening;
      this.#lost = undefined;
      await writer.open((cause) => {
        if (opening === this.#opening) this.#lose(cause);
      });
    } catch (cause) {
      this.#lose(cause);
      if (this.#state === "down") this.#reopenLater();
      throw cause;
    }
    if (this.#state !== "down") return;
    this.#state = "idle";
    if (isFirst) await this.#keepChecking();
    else this.#checkLater();
    if (this.isHealthy) up();
  }

  async #check(): Promise<void> {
    const space = await this.#deps.writer.check?.();
    if (space !== undefined) this.#deps.checked(space);
  }

  async #keepChecking(): Promise<void> {
    await this.#check().catch((cause) => this.#lose(cause));
    this.#checkLater();
  }

  /** Checks a writer again that works and can be checked. */
  #checkLater(): void {
    if (!this.isHealthy || this.#deps.writer.check === undefined) return;
    this.#cancel = this.#deps.clock.after(checkMs, () => void this.#keepChecking());
  }

  /** A batch that is being written may still succeed. */
  #lose(cause: unknown): void {
    if (this.#state === "idle") this.#fail(cause);
    else if (this.#state === "writing") this.#lost ??= { cause };
    else if (this.#state === "down") this.#deps.down(cause);
  }

  #fail(cause: unknown): void {
    if (this.#state === "closed") return;
    this.#state = "down";
    this.#cancel();
    this.#deps.down(cause);
    this.#reopenLater();
  }

  #reopenLater(): void {
    const { clock } = this.#deps;
    const delayMs = Math.min(backOffMs.most, backOffMs.least * 2 ** this.#attempts);
    this.#attempts += 1;
    // Between half and all of it: several nodes shall not come back in the same moment.
    this.#cancel = clock.after(delayMs * (0.5 + clock.random() / 2), () => {
      this.open().catch(() => {});
    });
  }
}

/** Share of the queue beyond which no more load is asked for. */
const readyShare = 0.8;

/** Rows of a batch that waits for no more: a commit costs as much as three rows. */
const enoughRows = 32;

/**
 * Called with the rows of every batch that starts. What it returns is called when the batch ends:
 * true where it is on disk for certain, and how many event keys were those of other networks.
 */
export type BatchWatcher = (rows: number) => (isWritten: boolean, keyConflicts: number) => void;

/** Parts and limits of a group commit. */
export interface GroupCommitDeps<Row> {
  /** Each has one batch in flight at a time. */
  readonly writers: readonly BatchWriter<Row>[];
  /** Most rows that wait for a batch of theirs. */
  readonly queueMax: number;
  /** Most rows of one batch: what bounds the time that a row waits for its neighbours. */
  readonly batchMax: number;
  /** Space of the disk that is left free. */
  readonly diskReserve: DiskReserve;
  readonly clock: WriterClock;
  /** Runs each time before a writer is opened, which fails when this does. */
  readonly prepare: () => Promise<void>;
  /** As in `BatchQueueOptions`. */
  readonly defer?: (run: () => void) => void;
  /** Called with each reason why no writer can write, and `up` when one can again. */
  readonly down: (cause: unknown) => void;
  readonly up: () => void;
}

/** A disk, in bytes. */
export interface DiskUsage {
  readonly freeBytes: number;
  /** With less than this free, no rows are taken. */
  readonly reserveBytes: number;
}

/** Writes rows in batches, over connections that may be lost (decision 0014). */
export class GroupCommit<Row> {
  readonly #deps: GroupCommitDeps<Row>;
  readonly #connections: readonly WriterConnection<Row>[];
  readonly #queue: BatchQueue<Row>;
  #isClosing = false;
  #cause: unknown;
  /** Reasons that were reported since rows could be written. */
  readonly #reported = new Set<string>();
  #disk: DiskUsage | undefined;
  #watch: BatchWatcher = () => () => {};

  constructor(deps: GroupCommitDeps<Row>) {
    const { queueMax, batchMax, defer } = deps;
    this.#deps = deps;
    this.#queue = new BatchQueue<Row>({
      flush: (rows) => this.#write(rows),
      canFlush: () => this.#connections.some(({ isIdle }) => isIdle),
      batchEnough: Math.min(enoughRows, batchMax),
      queueMax,
      batchMax,
      ...(defer && { defer }),
    });
    this.#connections = deps.writers.map(
      (writer) =>
        new WriterConnection({
          writer,
          clock: deps.clock,
          prepare: deps.prepare,
          down: (cause) => this.#connectionDown(cause),
          up: () => this.#connectionUp(),
          checked: (space) => this.#checkSpace(space),
        }),
    );
  }

  /** Opens every writer. Rejects with the reason of a failed one, which is tried again later. */
  async open(): Promise<void> {
    const opened = await Promise.allSettled(this.#connections.map((each) => each.open()));
    for (const one of opened) if (one.status === "rejected") throw one.reason;
  }

  /** Ready where rows can be written and the queue has room to spare. */
  get readiness(): Readiness {
    if (!this.#isUp) return this.#cause instanceof DiskReserveError ? "disk-reserve" : "database";
    return this.#queue.size < this.#deps.queueMax * readyShare ? "ready" : "queue-full";
  }

  /** The disk as it was last looked at; undefined where it is not ours. */
  get disk(): DiskUsage | undefined {
    return this.#disk;
  }

  /** Rows that wait for a batch of theirs. */
  get queuedRows(): number {
    return this.#queue.size;
  }

  /**
   * Resolves once the row is on disk.
   *
   * @throws {NotStoredError} when it is not, or when that is unknown.
   */
  add(row: Row): Promise<void> {
    if (!this.#isUp || this.#isClosing) {
      return Promise.reject(new NotStoredError("unavailable", this.#cause));
    }
    if (this.#queue.size >= this.#deps.queueMax) {
      return Promise.reject(new NotStoredError("busy"));
    }
    return this.#queue.add(row);
  }

  /** Calls a watcher for each batch from now on, instead of the one before. */
  onBatch(watcher: BatchWatcher): void {
    this.#watch = watcher;
  }

  /** Takes no more rows, writes those that wait, and closes the writers. */
  async close(): Promise<void> {
    if (this.#isClosing) return;
    this.#isClosing = true;
    await this.#queue.drain();
    await Promise.all(this.#connections.map((each) => each.close()));
  }

  get #isUp(): boolean {
    return this.#connections.some(({ isHealthy }) => isHealthy);
  }

  async #write(rows: readonly Row[]): Promise<readonly undefined[]> {
    const connection = this.#connections.find(({ isIdle }) => isIdle);
    if (connection === undefined) throw new NotStoredError("unavailable", this.#cause);
    const ended = this.#watch(rows.length);
    try {
      ended(true, await connection.write(rows));
    } catch (cause) {
      ended(false, 0);
      throw new NotStoredError("unknown", cause);
    }
    return [];
  }

  #checkSpace(space: DiskSpace): void {
    const reserveBytes = reserveBytesOf(space, this.#deps.diskReserve);
    this.#disk = { freeBytes: space.freeBytes, reserveBytes };
    refuseBelowReserve(space, reserveBytes, this.#cause instanceof DiskReserveError);
  }

  /** Without any writer no row waits: an early refusal is worth more than a late one. */
  #connectionDown(cause: unknown): void {
    if (this.#isUp) return;
    this.#cause = cause;
    this.#queue.rejectWaiting(new NotStoredError("unavailable", cause));
    if (this.#reported.has(String(cause))) return;
    this.#reported.add(String(cause));
    this.#deps.down(cause);
  }

  #connectionUp(): void {
    if (this.#cause !== undefined) {
      this.#cause = undefined;
      this.#reported.clear();
      this.#deps.up();
    }
    this.#queue.wake();
  }
}
