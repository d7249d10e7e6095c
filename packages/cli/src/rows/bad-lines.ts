/** Problem of a line, for a report. */
export interface BadLine {
  /** Counted from 1. */
  readonly line: number;
  /** One word for scripts. */
  readonly reason?: string;
}

/** Bad lines kept; the rest are only counted, so that a wrong file of any length fits in memory. */
const firstMax = 100;

/** Bad lines of a file. */
export class BadLines<Line extends BadLine> {
  count = 0;
  readonly byReason: Partial<Record<Line["reason"] & string, number>> = {};
  /** The first hundred, in the order in which they were added. */
  readonly first: Line[] = [];

  add(line: Line): void {
    this.count += 1;
    if (line.reason !== undefined) this.#countReason(line.reason, 1);
    if (this.first.length < firstMax) this.first.push(line);
  }

  /** Adds those of another file, of which up to a hundred are kept too. */
  addAll(other: BadLines<Line>): void {
    this.count += other.count;
    this.first.push(...other.first);
    for (const reason of Object.keys(other.byReason) as (Line["reason"] & string)[]) {
      this.#countReason(reason, other.byReason[reason] ?? 0);
    }
  }

  #countReason(reason: Line["reason"] & string, lines: number): void {
    this.byReason[reason] = (this.byReason[reason] ?? 0) + lines;
  }
}
