/** Event-loop ticks without a new item after which a batch starts: some 10 microseconds if idle. */
const quietTicks = 4;

/** Options of a batch queue. */
export interface BatchQueueOptions<Item, Result> {
  /**
   * Handles one batch; resolves to the results in the order of the items. When it rejects, every
   * item of the batch is rejected with the same reason. A time limit belongs into it.
   */
  readonly flush: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** Most items of one batch. */
  readonly batchMax: number;
  /** Items with which a batch is large enough not to wait for more; `batchMax` at most. */
  readonly batchEnough: number;
  /** Most items that wait for a batch of theirs; one more is refused. */
  readonly queueMax: number;
  /** Allows a batch to start now. Default: while no other one is in flight. */
  readonly canFlush?: () => boolean;
  /** Runs something one tick of the event loop later. Default: `setImmediate`. */
  readonly defer?: (run: () => void) => void;
}

/** A queue has as many items as it may have. */
export class QueueFullError extends Error {
  override readonly name = "QueueFullError";
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Collects items into batches: what arrives while one batch is in flight makes up the next one,
 * with callers that come back as soon as they have their result. No timers (decision 0014).
 */
export class BatchQueue<Item, Result = void> {
  readonly #options: BatchQueueOptions<Item, Result>;
  readonly #canFlush: () => boolean;
  readonly #defer: (run: () => void) => void;
  #waiting: Waiting<Item, Result>[] = [];
  #inFlight = 0;
  #isHolding = false;
  /** Items of the next batch if all callers of the last one come back, up to what is enough. */
  #expected = 0;
  #drained: PromiseWithResolvers<void> | undefined;

  constructor(options: BatchQueueOptions<Item, Result>) {
    this.#options = options;
    this.#canFlush = options.canFlush ?? (() => this.#inFlight === 0);
    this.#defer = options.defer ?? setImmediate;
  }

  /** Items that wait for a batch of theirs. */
  get size(): number {
    return this.#waiting.length;
  }

  /**
   * Adds an item to the next batch; resolves to its result.
   *
   * @throws {QueueFullError} when too many wait; otherwise what `flush` rejects with.
   */
  add(item: Item): Promise<Result> {
    if (this.#waiting.length >= this.#options.queueMax) {
      return Promise.reject(new QueueFullError("Too many items are waiting"));
    }
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#waiting.push({ item, resolve, reject });
    this.wake();
    return promise;
  }

  /** Starts a batch soon if one waits and may start; all items of one event-loop tick share it. */
  wake(): void {
    if (this.#isHolding || this.#waiting.length === 0 || !this.#canFlush()) return;
    this.#isHolding = true;
    this.#hold(this.#waiting.length, quietTicks);
  }

  /** Rejects everything that waits. Batches in flight are not affected. */
  rejectWaiting(reason: unknown): void {
    for (const { reject } of this.#waiting.splice(0)) reject(reason);
    this.#resolveDrained();
  }

  /** Starts batches without holding; resolves once nothing waits, with batches maybe in flight. */
  async drain(): Promise<void> {
    if (this.#waiting.length === 0) return;
    this.#drained ??= Promise.withResolvers<void>();
    const { promise } = this.#drained;
    this.#dispatch();
    await promise;
  }

  #resolveDrained(): void {
    this.#drained?.resolve();
    this.#drained = undefined;
  }

  /**
   * A caller that has its result often comes back at once. Unless the batch is held for it, callers
   * fall into two groups that flush alternately: halves that wait for each other.
   */
  #hold(size: number, ticks: number): void {
    this.#defer(() => {
      const ticksLeft = this.#waiting.length === size ? ticks - 1 : quietTicks;
      if (this.#waiting.length < this.#expected && ticksLeft > 0) {
        this.#hold(this.#waiting.length, ticksLeft);
        return;
      }
      this.#isHolding = false;
      this.#dispatch();
    });
  }

  #dispatch(): void {
    while (this.#waiting.length > 0 && this.#canFlush()) {
      void this.#flush(this.#waiting.splice(0, this.#options.batchMax));
    }
    if (this.#waiting.length === 0) this.#resolveDrained();
  }

  async #flush(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    const { batchEnough } = this.#options;
    try {
      const results = await this.#flushItems(batch.map(({ item }) => item));
      this.#expected = Math.min(batch.length + this.#waiting.length, batchEnough);
      // Before handing the results out, which takes a while: the next batch is under way meanwhile.
      if (this.#waiting.length >= batchEnough) this.#dispatch();
      // A flush without results has `Result` void.
      for (const [i, { resolve }] of batch.entries()) resolve(results[i] as Result);
    } catch (reason) {
      for (const { reject } of batch) reject(reason);
    }
    this.wake();
  }
  async #flushItems(items: readonly Item[]): Promise<readonly Result[]> {
    this.#inFlight += 1;
    try {
      return await this.#options.flush(items);
    } finally {
      this.#inFlight -= 1;
    }
  }
}
