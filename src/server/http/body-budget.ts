/** Bytes that request bodies may take while they arrive, over all connections of a process (decision 0010). */
export class BodyBudget {
  #free: number;

  constructor(bytesMax: number) {
    this.#free = bytesMax;
  }

  /** Takes some; false, and nothing is taken, where so many are not free. */
  reserve(bytes: number): boolean {
    if (bytes > this.#free) return false;
    this.#free -= bytes;
    return true;
  }

  /** Gives back what was taken. */
  release(bytes: number): void {
    this.#free += bytes;
  }
}
