/** Wrong responses that are kept word for word; all are counted. */
const examplesMax = 20;

/** Outcomes of the requests of one kind. */
export class KindTally {
  /** Refused with a status of 500 or more, or without a response: safe requests may be repeated. */
  failed = 0;
  /** Number of failures by status; 0 is no response. */
  readonly statuses: Record<number, number> = {};
  wrong = 0;
  #gapMs = 0;
  #rightAtMs = performance.now();

  /** A right response came. */
  responded(): void {
    this.#gapMs = this.longestGapMs();
    this.#rightAtMs = performance.now();
  }

  /** A request failed, with a status or 0. */
  hasFailed(status: number): void {
    this.failed += 1;
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
  }

  /** Longest time without a right response until now, in milliseconds. */
  longestGapMs(): number {
    return Math.max(this.#gapMs, performance.now() - this.#rightAtMs);
  }
}

/** Outcomes of all requests. Its size does not grow with their number. */
export class Tally {
  /** The first wrong outcomes. */
  readonly examples: string[] = [];
  readonly #kinds = new Map<string, KindTally>();

  /** The tally of a kind. */
  of(kind: string): KindTally {
    const known = this.#kinds.get(kind) ?? new KindTally();
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
}
