/** States of a page request before the database is read. */
const states = { unsent: 0, sent: 1, acknowledged: 2 } as const;

/** Findings of a comparison with the database. */
export interface SentLogFinding {
  readonly acknowledged: number;
  /** Acknowledged and not stored. */
  readonly lost: number;
  /** Stored more than once. */
  readonly twice: number;
  /** Stored and never sent, or with other fields than were sent. */
  readonly foreign: number;
}

/** Remembers page requests by their numbers, from 1, with one byte each. */
export class SentLog {
  #states = new Uint8Array(1 << 16);
  #last = 0;

  /** The number of the next page request, which is sent now. */
  send(): number {
    this.#last += 1;
    if (this.#last >= this.#states.length) {
      const grown = new Uint8Array(this.#states.length * 2);
      grown.set(this.#states);
      this.#states = grown;
    }
    this.#states[this.#last] = states.sent;
    return this.#last;
  }

  /** A page request was acknowledged. */
  acknowledge(number: number): void {
    this.#states[number] = states.acknowledged;
  }

  /**
   * Compares with the stored rows.
   *
   * @param stored numbers of the rows; 0 for a row that differs from what was sent with its number.
   */
  async compare(stored: AsyncIterable<number>): Promise<SentLogFinding> {
    const seen = new Uint8Array(this.#states.length);
    let twice = 0;
    let foreign = 0;
    for await (const number of stored) {
      if (number < 1 || number > this.#last) {
        foreign += 1;
        continue;
      }
      if (seen[number] === 1) twice += 1;
      seen[number] = 1;
    }
    let acknowledged = 0;
    let lost = 0;
    for (let number = 1; number <= this.#last; number += 1) {
      const isAcknowledged = this.#states[number] === states.acknowledged;
      if (isAcknowledged) acknowledged += 1;
      if (isAcknowledged && seen[number] === 0) lost += 1;
    }
    return { acknowledged, lost, twice, foreign };
  }
}
