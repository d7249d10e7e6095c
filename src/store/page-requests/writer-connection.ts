import type { BatchWriter } from "./batch-writer.ts";
import type { DiskSpace } from "./disk-reserve.ts";

/** Shortest and longest wait before a broken writer is opened again, in milliseconds. */
const backOffMs = { least: 50, most: 2_000 };
/** How often a writer that works is checked, in milliseconds. */
const checkMs = 1_000;

/** Time and chance, as far as writing needs them. */
export interface WriterClock {
  /** Runs something later; the function that is returned calls it off. */
  readonly after: (delayMs: number, run: () => void) => () => void;
  /** From 0 to less than 1. */
  readonly random: () => number;
}

interface WriterConnectionDeps<Row> {
  readonly writer: BatchWriter<Row>;
  readonly clock: WriterClock;
  /** Runs each time before the writer is opened, which fails when this does. */
  readonly prepare: () => Promise<void>;
  /** Called when it may take a batch again after it was down. */
  readonly free: () => void;
  /** Called when it can no longer write, and again with each reason that is found until it can. */
  readonly down: (cause: unknown) => void;
  readonly up: () => void;
  /** Called with what a check has found; throws when that is too little to write. */
  readonly checked: (space: DiskSpace) => void;
}

/** One writer and what becomes of it: idle, writing a batch, or down and trying to come back. */
export class WriterConnection<Row> {
  readonly #deps: WriterConnectionDeps<Row>;
  #state: "idle" | "writing" | "down" | "closed" = "down";
  /** Attempts since the last batch that was written. */
  #attempts = 0;
  #callOff: () => void = () => {};
  /** Counts openings, to tell a former connection from the present one. */
  #opening = 0;
  /** Why nothing can be written after the present batch. */
  #lost: { readonly cause: unknown } | undefined;
  #work: Promise<void> = Promise.resolve();

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

  /** Writes one batch; only for a connection that is idle. Rejects when it is not on disk for certain. */
  async write(rows: readonly Row[]): Promise<void> {
    this.#state = "writing";
    const written = this.#deps.writer.write(rows);
    this.#work = written.catch(() => {});
    try {
      await written;
      this.#attempts = 0;
      if (this.#state === "writing") this.#state = "idle";
      if (this.#lost !== undefined) this.#fail(this.#lost.cause);
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
    this.#callOff();
    await this.#work;
    await this.#deps.writer.close();
  }

  async #openWriter(): Promise<void> {
    const opening = ++this.#opening;
    this.#lost = undefined;
    await this.#deps.writer.open((cause) => {
      if (opening === this.#opening) this.#lose(cause);
    });
  }

  /** Checks a writer that works, and again after a while. */
  async #check(): Promise<void> {
    if (this.#deps.writer.check === undefined) return;
    try {
      await this.#checkOnce();
      if (this.isHealthy) this.#checkLater();
    } catch (cause) {
      this.#lose(cause);
    }
  }

  #checkLater(): void {
    this.#callOff = this.#deps.clock.after(checkMs, () => void this.#check());
  }

  async #checkOnce(): Promise<void> {
    const space = await this.#deps.writer.check?.();
    if (space !== undefined) this.#deps.checked(space);
  }

  /** A batch that is being written may still succeed. */
  #lose(cause: unknown): void {
    if (this.#state === "idle") this.#fail(cause);
    else if (this.#state === "writing") this.#lost ??= { cause };
    else if (this.#state === "down") this.#deps.down(cause);
  }

  #fail(cause: unknown): void {
    // The batch of a connection that was lost has reported that already.
    if (this.#state === "closed" || this.#state === "down") return;
    this.#state = "down";
    this.#callOff();
    this.#deps.down(cause);
    this.#reopenLater();
  }

  #reopenLater(): void {
    const { clock } = this.#deps;
    const delayMs = Math.min(backOffMs.most, backOffMs.least * 2 ** this.#attempts);
    this.#attempts = Math.min(this.#attempts + 1, 16);
    // Between half and all of it: several nodes shall not come back in the same moment.
    this.#callOff = clock.after(delayMs * (0.5 + clock.random() / 2), () => {
      this.open().catch(() => {});
    });
  }

  async #open(): Promise<void> {
    const isFirst = this.#opening === 0;
    try {
      await this.#deps.prepare();
      // The first time a disk that is nearly full is no failure: log-ins have its reserve.
      if (!isFirst) await this.#checkOnce();
      await this.#openWriter();
    } catch (cause) {
      this.#lose(cause);
      if (this.#state === "down") this.#reopenLater();
      throw cause;
    }
    if (this.#state !== "down") return;
    this.#state = "idle";
    if (isFirst) await this.#check();
    else if (this.#deps.writer.check !== undefined) this.#checkLater();
    if (!this.isHealthy) return;
    this.#deps.up();
    this.#deps.free();
  }
}
