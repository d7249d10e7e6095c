import { NotStoredError } from "../../domain/page-requests/page-request-log.ts";
import type { Readiness } from "../../domain/page-requests/readiness.ts";
import type { BatchWriter } from "./batch-writer.ts";
import {
  type DiskReserve,
  DiskReserveError,
  type DiskSpace,
  refuseBelowReserve,
  reserveBytesOf,
} from "./disk-reserve.ts";
import { type WriterClock, WriterConnection } from "./writer-connection.ts";

/** Share of the queue beyond which no more load is asked for. */
const readyShare = 0.8;

/** Turns of the event loop that bring no row, after which a batch waits for no more: on an idle machine some ten microseconds. */
const quietTurns = 4;

/** Rows of a batch that waits for no more: a commit costs the processor about as much as three rows, so larger batches save little. */
const enoughRows = 32;

/**
 * Told of every batch that is begun, by its rows; what it returns is told whether the batch is on disk for certain, after those
 * who wait for it. Neither may throw.
 */
export type BatchWatcher = (rows: number) => (isWritten: boolean) => void;

/** What a group commit is made of. */
export interface GroupCommitDeps<Row> {
  /** Each has one batch on its way at a time. */
  readonly writers: readonly BatchWriter<Row>[];
  /** Most rows that wait for a batch of theirs. */
  readonly queueMax: number;
  /** Most rows of one batch: what bounds the time that a row waits for its neighbours. */
  readonly batchMax: number;
  /** How much of the disk is left free. */
  readonly diskReserve: DiskReserve;
  readonly clock: WriterClock;
  /** Runs each time before a writer is opened, which fails when this does. */
  readonly prepare: () => Promise<void>;
  /** Runs something once what has arrived by now has been dealt with: a turn of the event loop later. */
  readonly defer: (run: () => void) => void;
  /** No writer can write, for this reason, or for a further one; or one can again. */
  readonly down: (cause: unknown) => void;
  readonly up: () => void;
  /** Told of batches; not asked for anything. */
  readonly watch: BatchWatcher;
}

/** A disk, in bytes. */
export interface DiskUsage {
  readonly freeBytes: number;
  /** With less than this free, no rows are taken. */
  readonly reserveBytes: number;
}

interface Waiting<Row> {
  readonly row: Row;
  readonly resolve: () => void;
  readonly reject: (reason: NotStoredError) => void;
}

/**
 * Writes rows in batches: those that arrive while one batch is being synced make up the next one, with those who come
 * back for more as soon as they are answered. Nobody waits for a timer (decision 0014).
 */
export class GroupCommit<Row> {
  readonly #parts: GroupCommitDeps<Row>;
  readonly #lanes: readonly WriterConnection<Row>[];
  #queue: Waiting<Row>[] = [];
  #isHolding = false;
  /** Rows of the next batch when all who were there at the end of the last one come back, up to what is enough. */
  #expected = 0;
  #state: "open" | "closing" | "closed" = "open";
  #cause: unknown;
  /** Reasons that were reported since rows could be written. */
  readonly #reported = new Set<string>();
  #disk: DiskUsage | undefined;
  #drained: () => void = () => {};

  constructor(parts: GroupCommitDeps<Row>) {
    this.#parts = parts;
    this.#lanes = parts.writers.map(
      (writer) =>
        new WriterConnection({
          writer,
          clock: parts.clock,
          prepare: parts.prepare,
          free: () => this.#dispatchSoon(),
          down: (cause) => this.#laneDown(cause),
          up: () => this.#laneUp(),
          checked: (space) => this.#checkSpace(space),
        }),
    );
  }

  /** Opens every writer. Rejects with the reason when one cannot be opened, and opens it again later. */
  async open(): Promise<void> {
    const opened = await Promise.allSettled(this.#lanes.map((lane) => lane.open()));
    for (const one of opened) if (one.status === "rejected") throw one.reason;
  }

  /** Whether rows can be written and the queue has room to spare. */
  get readiness(): Readiness {
    if (!this.#isUp) return this.#cause instanceof DiskReserveError ? "disk-reserve" : "database";
    return this.#queue.length < this.#parts.queueMax * readyShare ? "ready" : "queue-full";
  }

  /** True when rows can be written and the queue has room to spare. */
  get isReady(): boolean {
    return this.readiness === "ready";
  }

  /** The disk as it was last looked at; undefined where it is not ours. */
  get disk(): DiskUsage | undefined {
    return this.#disk;
  }

  /** Rows that wait for a batch of theirs. */
  get queuedRows(): number {
    return this.#queue.length;
  }

  /**
   * Resolves once the row is on disk.
   *
   * @throws {NotStoredError} when it is not, or when nobody can say.
   */
  add(row: Row): Promise<void> {
    if (!this.#isUp) return Promise.reject(new NotStoredError("unavailable", this.#cause));
    if (this.#queue.length >= this.#parts.queueMax) {
      return Promise.reject(new NotStoredError("busy"));
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#queue.push({ row, resolve, reject });
    this.#dispatchSoon();
    return promise;
  }

  /** Takes no more rows, writes those that wait, and closes the writers. */
  async close(): Promise<void> {
    if (this.#state !== "open") return;
    this.#state = "closing";
    if (this.#queue.length > 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#drained = resolve;
      this.#dispatch();
      await promise;
    }
    this.#state = "closed";
    await Promise.all(this.#lanes.map((lane) => lane.close()));
  }

  get #isUp(): boolean {
    return this.#state === "open" && this.#lanes.some((lane) => lane.isHealthy);
  }

  #checkSpace(space: DiskSpace): void {
    const reserveBytes = reserveBytesOf(space, this.#parts.diskReserve);
    this.#disk = { freeBytes: space.freeBytes, reserveBytes };
    refuseBelowReserve(space, reserveBytes, this.#cause instanceof DiskReserveError);
  }

  /** All rows of one turn of the event loop share a batch. */
  #dispatchSoon(): void {
    const mayBegin = this.#queue.length > 0 && this.#lanes.some((lane) => lane.isIdle);
    if (this.#isHolding || !mayBegin) return;
    this.#isHolding = true;
    this.#hold(this.#queue.length, quietTurns);
  }

  /**
   * Whoever is answered mostly asks again at once. Without waiting for them, callers fall into two groups that sync in turns:
   * batches of half the size, each of which the other half waits for.
   */
  #hold(rows: number, turns: number): void {
    this.#parts.defer(() => {
      const isQuiet = this.#queue.length === rows;
      const turnsLeft = isQuiet ? turns - 1 : quietTurns;
      if (this.#queue.length < this.#expected && turnsLeft > 0) {
        this.#hold(this.#queue.length, turnsLeft);
        return;
      }
      this.#isHolding = false;
      this.#dispatch();
    });
  }

  #dispatch(): void {
    for (const lane of this.#lanes) {
      if (this.#queue.length === 0) break;
      if (lane.isIdle) void this.#commit(lane, this.#queue.splice(0, this.#parts.batchMax));
    }
    if (this.#queue.length === 0) this.#drained();
  }

  async #commit(lane: WriterConnection<Row>, batch: readonly Waiting<Row>[]): Promise<void> {
    const ended = this.#parts.watch(batch.length);
    try {
      await lane.write(batch.map(({ row }) => row));
    } catch (cause) {
      const reason = new NotStoredError("unknown", cause);
      for (const { reject } of batch) reject(reason);
      ended(false);
      return;
    }
    const most = Math.min(enoughRows, this.#parts.batchMax);
    this.#expected = Math.min(batch.length + this.#queue.length, most);
    // Before the answers are written, which takes a while: the disk has something to do meanwhile.
    if (this.#queue.length >= most) this.#dispatch();
    for (const { resolve } of batch) resolve();
    ended(true);
    this.#dispatchSoon();
  }

  /** Without any writer nobody waits: an early refusal is worth more than a late one. */
  #laneDown(cause: unknown): void {
    if (this.#lanes.some((lane) => lane.isHealthy)) return;
    this.#cause = cause;
    const reason = new NotStoredError("unavailable", cause);
    for (const { reject } of this.#queue.splice(0)) reject(reason);
    this.#drained();
    if (this.#reported.has(String(cause))) return;
    this.#reported.add(String(cause));
    this.#parts.down(cause);
  }

  #laneUp(): void {
    if (this.#cause === undefined) return;
    this.#cause = undefined;
    this.#reported.clear();
    this.#parts.up();
  }
}
