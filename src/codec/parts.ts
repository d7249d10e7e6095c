import type { Operation, Part } from "../contract/operation.ts";
import { parseScalar } from "./scalars.ts";

/** The values of an operation's request by the names of its parts. */
export type InputValues = Readonly<Record<string, unknown>>;

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

/** Where an element ends in its document, both counted from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A part of a request that cannot be read; each binding words it in its own way. */
export class PartError extends Error {
  /** Name of the part, as the contract spells it. */
  readonly part: string;
  readonly problem: PartProblem;
  /** The text, or the name of the child element; `""` where nothing was found. */
  readonly found: string;
  /** End of the element, for a part that was read from XML. */
  readonly position: Position | undefined;

  /** For the log: names the part and the problem, and repeats nothing that was sent. */
  get hint(): string {
    return `${this.part}: ${this.problem}`;
  }

  constructor(
    part: string,
    problem: PartProblem,
    details: { found?: string; position?: Position | undefined; cause?: Error } = {},
  ) {
    super(details.cause?.message ?? `Part ${part}: ${problem}`, { cause: details.cause });
    this.name = "PartError";
    this.part = part;
    this.problem = problem;
    this.found = details.found ?? "";
    this.position = details.position;
  }
}

/** A part of a request as it is read from text. */
export interface TextPart {
  readonly name: string;
  readonly parse: (text: string) => unknown;
  /** Whether null stands for a part that is absent. */
  readonly mayBeAbsent: boolean;
  /** Whether null stands for a part that is nil. */
  readonly mayBeNil: boolean;
}

/** The parts of an operation's request, which are all scalars. */
export function textParts({ input, nilIsAbsent }: Operation): readonly TextPart[] {
  return Object.entries(input).map(([name, part]) => ({
    name,
    parse: parseScalar[scalarOf(name, part)],
    mayBeAbsent: part.optional === true,
    mayBeNil: part.nillable === true || nilIsAbsent === true,
  }));
}

/** Type of a part of a request; throws where the contract gives it a shape. */
export function scalarOf(name: string, { type }: Part) {
  if (typeof type !== "string") throw new TypeError(`Part ${name} of a request is not a scalar`);
  return type;
}

/** Value of a part that is not there: null. Throws a {@link PartError} where the contract requires it. */
export function absentValue({ name, mayBeAbsent }: Pick<TextPart, "name" | "mayBeAbsent">): null {
  if (mayBeAbsent) return null;
  throw new PartError(name, "missing");
}

/** Value of a part given as text. Throws a {@link PartError} where the text is not of its type. */
export function parsePart({ name, parse }: TextPart, text: string, position?: Position): unknown {
  try {
    return parse(text);
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause;
    throw new PartError(name, "unreadable", { found: text, cause, position });
  }
}
