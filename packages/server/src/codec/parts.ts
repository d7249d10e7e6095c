import type { Operation, ScalarName } from "../contract/operation.ts";
import type { Scalar } from "./scalars.ts";

/** The values of an operation's request by the names of its parts. */
export type InputValues = Readonly<Record<string, unknown>>;

/** Problem of one part of a request. */
export type PartProblem =
  /** It is not there. */
  | "missing"
  /** It is nil where the contract has no nil. */
  | "nil"
  /** It holds an element where only text can be. */
  | "child-element"
  /** There is text beside it where only parts are allowed. */
  | "text-beside"
  /** Its text does not fit its type. */
  | "unreadable";

/** Where an element ends in its document, both counted from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

interface PartErrorDetails {
  readonly found?: string;
  readonly position?: Position | undefined;
  readonly cause?: Error;
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

  constructor(part: string, problem: PartProblem, details: PartErrorDetails = {}) {
    super(details.cause?.message ?? `Part ${part}: ${problem}`, { cause: details.cause });
    this.name = "PartError";
    this.part = part;
    this.problem = problem;
    this.found = details.found ?? "";
    this.position = details.position;
  }
}

/** A part of a request as it is read from a value of some kind, such as text. */
export interface ScalarPart<Source> {
  readonly name: string;
  /** Throws a SyntaxError or RangeError for a value that does not fit. */
  readonly parse: (source: Source) => Scalar;
  readonly mayBeAbsent: boolean;
  readonly mayBeNil: boolean;
}

/** The parts of an operation's request, which are all scalars, with the parser of each type. */
export function scalarParts<Source>(
  { input }: Operation,
  parsers: Readonly<Record<ScalarName, (source: Source) => Scalar>>,
): readonly ScalarPart<Source>[] {
  return Object.entries(input).map(([name, { type, optional, nillable }]) => {
    if (typeof type !== "string") throw new TypeError(`Part ${name} of a request is not a scalar`);
    const parse = parsers[type];
    return { name, parse, mayBeAbsent: optional === true, mayBeNil: nillable === true };
  });
}

/** Null, for a part that is not sent. Throws a {@link PartError} where the contract requires it. */
export function absentValue({ name, mayBeAbsent }: ScalarPart<never>): null {
  if (mayBeAbsent) return null;
  throw new PartError(name, "missing");
}

/** Value of a part that is nil: null. Throws a {@link PartError} where the contract has no nil. */
export function nilValue({ name, mayBeNil }: ScalarPart<never>, position?: Position): null {
  if (mayBeNil) return null;
  throw new PartError(name, "nil", { position });
}

/** Value of a part. Throws a {@link PartError} where it is not of its type. */
export function parsePart<Source>(
  { name, parse }: ScalarPart<Source>,
  source: Source,
  details: Pick<PartErrorDetails, "found" | "position"> = {},
): Scalar {
  try {
    return parse(source);
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause;
    throw new PartError(name, "unreadable", { ...details, cause });
  }
}
