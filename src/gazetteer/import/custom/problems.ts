import type { BadLine, BadLines } from "../../../rows/bad-lines.ts";

/** What is wrong with a row of a table. */
export interface Problem extends BadLine {
  /** What was found, and what is expected. */
  readonly message: string;
}

/** Everything that is wrong with a table: every row is checked. */
export type Problems = BadLines<Problem>;

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
    this.problems = first.toSorted((a, b) => a.line - b.line);
    this.problemCount = count;
  }
}
