/** Kinds of calls that are told apart. */
export const groups = ["page requests", "look-ups", "log-ins"] as const;

/** One of them. */
export type Group = (typeof groups)[number];

/** What became of the calls of a group. */
export interface GroupCount {
  right: number;
  /** Refused with a status of 500 or more, or without a response: the caller sees a failure, and may repeat what is safe. */
  failed: number;
  /** How often each status was among them; 0 where no response came. */
  readonly statuses: Readonly<Record<number, number>>;
  wrong: number;
  /** Longest time without a right response, in milliseconds. */
  gapMs: number;
}

type Running = GroupCount & { readonly statuses: Record<number, number>; rightAtMs: number };

/** Wrong responses that are kept word for word; all are counted. */
const examplesMax = 5;

/** Counts what callers see. Times are milliseconds of a clock that never jumps. */
export class Meter {
  /** Calls that wait for their response now. */
  inFlight = 0;
  readonly examples: string[] = [];
  readonly #now: () => number;
  readonly #counts = new Map<Group, Running>();

  constructor(now: () => number) {
    this.#now = now;
    for (const group of groups) {
      this.#counts.set(group, {
        right: 0,
        failed: 0,
        statuses: {},
        wrong: 0,
        gapMs: 0,
        rightAtMs: now(),
      });
    }
  }

  /** A right response came. */
  right(group: Group): void {
    const count = this.#of(group);
    count.right += 1;
    this.#endGap(count);
  }

  /** A call failed, with a status or 0. */
  failed(group: Group, status: number): void {
    const count = this.#of(group);
    count.failed += 1;
    count.statuses[status] = (count.statuses[status] ?? 0) + 1;
  }

  /** A wrong response came. */
  wrong(group: Group, what: string): void {
    this.#of(group).wrong += 1;
    if (this.examples.length < examplesMax) this.examples.push(`${group}: ${what}`);
  }

  /** What became of the calls of a group until now. */
  countOf(group: Group): GroupCount {
    const count = this.#of(group);
    const gapMs = Math.max(count.gapMs, this.#now() - count.rightAtMs);
    return { ...count, gapMs };
  }

  #of(group: Group): Running {
    const count = this.#counts.get(group);
    if (count === undefined) throw new Error(`${group} are not counted`);
    return count;
  }

  #endGap(count: Running): void {
    const now = this.#now();
    count.gapMs = Math.max(count.gapMs, now - count.rightAtMs);
    count.rightAtMs = now;
  }
}
