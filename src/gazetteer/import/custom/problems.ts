/** What is wrong with a line of a table, for a person to read. */
export interface Problem {
  /** Where the row begins, counted from 1; the header has line 1. */
  readonly line: number;
  /** What was found, and what is wanted. */
  readonly message: string;
}

/** Problems that are kept to be shown: whoever has mended a hundred looks again. All are counted. */
const keptMax = 100;

/** All that is wrong with a table: each row is looked at, whatever was wrong with those before. */
export interface Problems {
  readonly count: number;
  /** The first hundred that were found, by line. */
  list(): readonly Problem[];
  add(line: number, message: string): void;
}

/** Makes an empty list. */
export function createProblems(): Problems {
  const kept: Problem[] = [];
  let count = 0;
  return {
    get count() {
      return count;
    },
    list: () => kept.toSorted((a, b) => a.line - b.line),
    add(line, message) {
      count += 1;
      if (kept.length < keptMax) kept.push({ line, message });
    },
  };
}
