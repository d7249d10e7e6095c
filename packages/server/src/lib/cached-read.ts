/** Time after which a read that failed is tried again, in milliseconds. */
const retryMs = 1_000;

/**
 * A value of a slow source, kept until it is too old. Concurrent calls share one read. A failed
 * read is not repeated at once, so that not every call reads a source that is down.
 */
export class CachedRead<Value> {
  readonly #read: () => Promise<Value>;
  readonly #now: () => number;
  readonly #freshMs: number;
  #known: { readonly value: Value } | undefined;
  #reading: Promise<Value> | undefined;
  #readAtMs = 0;
  #isFailed = false;

  /** @param freshMs age beyond which the value is read again, in milliseconds. */
  constructor(read: () => Promise<Value>, now: () => number, freshMs: number) {
    this.#read = read;
    this.#now = now;
    this.#freshMs = freshMs;
  }

  /** The value; an older one while the source fails. Rejects when it was never read. */
  current(): Promise<Value> {
    const nowMs = this.#now();
    const freshMs = this.#isFailed ? Math.min(retryMs, this.#freshMs) : this.#freshMs;
    // A clock that is set back makes the age negative.
    if (this.#reading === undefined || Math.abs(nowMs - this.#readAtMs) >= freshMs) {
      this.#readAtMs = nowMs;
      this.#reading = this.#readOrKeep();
    }
    return this.#reading;
  }

  async #readOrKeep(): Promise<Value> {
    try {
      this.#known = { value: await this.#read() };
      this.#isFailed = false;
    } catch (cause) {
      this.#isFailed = true;
      if (this.#known === undefined) throw cause;
    }
    return this.#known.value;
  }
}
