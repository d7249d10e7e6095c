/** What is wrong with a row of a table. */
export interface Problem {
  /** Where the row begins, counted from 1; the heading has line 1. */
  readonly line: number;
  /** What was found, and what is expected. */
  readonly message: string;
}

/** Most problems to report; the others are only counted. */
const reportedMax = 100;

/** All that is wrong with a table: every row is checked. */
export class Problems {
  readonly #first: Problem[] = [];
  count = 0;

  /** The first hundred, by line. */
  get first(): readonly Problem[] {
    return this.#first.toSorted((a, b) => a.line - b.line);
  }

  add(line: number, message: string): void {
    this.count += 1;
    if (this.#first.length < reportedMax) this.#first.push({ line, message });
  }
}

/** A table whose rows contradict each other or the gazetteer; nothing of it has been imported. */
export class CustomTableError extends Error {
  /** The file, or `standard input`. */
  readonly source: string;
  /** By line, a hundred at most. */
  readonly problems: readonly Problem[];
  readonly problemCount: number;

  constructor(source: string, { first, count }: Problems) {
    super(`${source} has ${count} problems`);
    this.name = "CustomTableError";
    this.source = source;
    this.problems = first;
    this.problemCount = count;
  }
}
