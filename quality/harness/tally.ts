/** Times of answers that are told apart, in milliseconds: nobody waits longer. */
const timesMax = 20_000;
/** Wrong answers that are kept word for word; all are counted. */
const examplesMax = 20;

/** Outcomes of the requests of one kind. */
export class KindTally {
  readonly kind: string;
  right = 0;
  /** No answer, because the server that had the connection was killed. */
  cutOff = 0;
  /** Refused with a status of 500 or more, or without a response: safe requests may be repeated. */
  failed = 0;
  /** Number of failures by status; 0 is no response. */
  readonly statuses: Record<number, number> = {};
  wrong = 0;
  slowestMs = 0;
  readonly #times = new Uint32Array(timesMax + 1);
  #gapMs = 0;
  #rightAtMs = performance.now();

  constructor(kind: string) {
    this.kind = kind;
  }

  /** A right answer came after so long. */
  responded(ms: number): void {
    this.right += 1;
    this.slowestMs = Math.max(this.slowestMs, ms);
    const at = Math.min(timesMax, Math.ceil(ms));
    this.#times[at] = (this.#times[at] ?? 0) + 1;
    this.#gapMs = this.longestGapMs();
    this.#rightAtMs = performance.now();
  }

  /** A request failed, with a status or 0. */
  hasFailed(status: number): void {
    this.failed += 1;
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
  }

  /** Longest time without a right answer until now, in milliseconds. */
  longestGapMs(): number {
    return Math.max(this.#gapMs, performance.now() - this.#rightAtMs);
  }

  /** Time within which this part of the right answers came, in whole milliseconds, rounded up. */
  quantileMs(part: number): number {
    let left = Math.ceil(this.right * part);
    return this.#times.findIndex((count) => {
      left -= count;
      return left <= 0;
    });
  }
}

/** Outcomes of all requests. Its size does not grow with their number. */
export class Tally {
  /** The first wrong outcomes. */
  readonly examples: string[] = [];
  readonly #kinds = new Map<string, KindTally>();

  /** The tally of a kind. */
  of(kind: string): KindTally {
    const known = this.#kinds.get(kind) ?? new KindTally(kind);
    this.#kinds.set(kind, known);
    return known;
  }

  /** Counts a wrong outcome. */
  wrong(kind: string, cause: unknown, request: Uint8Array): void {
    this.of(kind).wrong += 1;
    if (this.examples.length >= examplesMax) return;
    const sent = JSON.stringify(Buffer.from(request).toString("latin1").slice(0, 1_000));
    this.examples.push(`${new Date().toISOString()} ${kind}: ${cause}\nsent: ${sent}`);
  }

  /** By kind, in the order in which they came. */
  kinds(): readonly KindTally[] {
    return [...this.#kinds.values()];
  }

  /** Of all kinds together. */
  sum(of: (kind: KindTally) => number): number {
    return this.kinds().reduce((sum, kind) => sum + of(kind), 0);
  }
}
