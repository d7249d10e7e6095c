/** What is wrong with one part of a request. */
export type PartProblem =
  /** It is not there. */
  | "missing"
  /** It is nil where the contract has no nil. */
  | "nil"
  /** It holds an element where only text can be. */
  | "child-element"
  /** Text stands beside it where only parts can be. */
  | "text-beside"
  /** Its text does not fit its type. */
  | "unreadable";

/** A part of a request that cannot be read; each binding words it in its own way. */
export class PartError extends Error {
  /** Name of the part, as the contract spells it. */
  readonly part: string;
  readonly problem: PartProblem;
  /** What was found: the text, or the name of the child element; `""` where nothing was. */
  readonly found: string;
  /** Where the element ends, for a part that was read from XML; both counted from 1. */
  readonly position: { readonly line: number; readonly column: number } | undefined;

  /** For the log: names the part and the problem, and nothing that was sent. */
  get hint(): string {
    return `${this.part}: ${this.problem}`;
  }

  constructor(
    part: string,
    problem: PartProblem,
    details: { found?: string; position?: { line: number; column: number }; cause?: Error } = {},
  ) {
    super(details.cause?.message ?? `Part ${part}: ${problem}`, { cause: details.cause });
    this.name = "PartError";
    this.part = part;
    this.problem = problem;
    this.found = details.found ?? "";
    this.position = details.position;
  }
}
