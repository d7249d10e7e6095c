import { jsonLimits } from "../../contract/limits.ts";

/** A text that is not JSON, or over a limit. */
export class JsonError extends SyntaxError {
  constructor(message: string) {
    super(message);
    this.name = "JsonError";
  }
}

/** A number to the letter: a double would lose digits of a long. */
export class JsonNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Members of an object by name, `__proto__` included; of a repeated one the last counts. */
export type JsonMembers = Readonly<Record<string, unknown>>;

/**
 * Reads the members of a JSON object. Their values are strings, booleans, null, numbers that are
 * exact, {@link JsonNumber} for others, or an object or array of unspecified form.
 *
 * @throws {JsonError} when the text is not JSON, not an object, or over a limit.
 */
export function readJsonObject(text: string): JsonMembers {
  return asMembers(parse(text, hasExactNumbers(text)));
}

/** The members of a value that was read. Throws a {@link JsonError} when it is not an object. */
export function asMembers(value: unknown): JsonMembers {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isObject || value instanceof JsonNumber)
    throw new JsonError("The body is not a JSON object.");
  return value as JsonMembers;
}

/** Error at a character, counted from 1. It never quotes the text, which may hold a password. */
export function notJson(character?: number): JsonError {
  const where = character === undefined ? "" : ` It goes wrong at character ${character}.`;
  return new JsonError(`The body is not valid JSON.${where}`);
}

/** Throws a {@link JsonError} for more open levels, or more values, than the limits allow. */
export function checkJsonLimits(depth: number, values: number): void {
  if (depth > jsonLimits.depth) {
    throw new JsonError(`The body is nested more than ${jsonLimits.depth} deep.`);
  }
  if (values > jsonLimits.values) {
    throw new JsonError(`The body holds more than ${jsonLimits.values} values.`);
  }
}

function parse(text: string, isExact: boolean): unknown {
  try {
    // A reviver costs more than all the rest, so it is used only where it can matter.
    if (isExact) return JSON.parse(text);
    return JSON.parse(text, (_name, value: unknown, context?: { source?: string }) =>
      typeof value === "number" ? new JsonNumber(context?.source ?? String(value)) : value,
    );
  } catch (cause) {
    const at = /position (\d+)/.exec(cause instanceof Error ? cause.message : "")?.[1];
    throw notJson(at === undefined ? undefined : Number(at) + 1);
  }
}

const quote = 0x22;
const backslash = 0x5c;
const zero = 0x30;
const digit = 2;
const other = 3;
/**
 * Kinds of UTF-16 units by number. Brackets stand for what they do to the depth: `{` and `[` open a
 * level, `}` and `]` close one. A comma begins a value, as an opening does.
 */
const steps = new Int8Array(128).fill(other).fill(digit, zero, zero + 10);
for (const [unit, step] of Object.entries({ "{": 1, "[": 1, "}": -1, "]": -1, ",": 0 })) {
  steps[unit.charCodeAt(0)] = step;
}

/** Most digits of a whole number that a double holds exactly, whatever they are. */
const exactDigitsMax = 15;

/**
 * True when a double holds every number of a text as written: whole, of at most 15 digits, no
 * exponent, no negative zero. Strings are skipped. Of other text it may say either.
 *
 * @throws {JsonError} when the text is over a limit, before anything is made of it.
 */
function hasExactNumbers(text: string): boolean {
  let isExact = true;
  let depth = 0;
  let values = 0;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    const step = steps[unit] ?? other;
    if (unit === quote) i = endOfString(text, i + 1, quote);
    else if (step === digit) {
      const start = i;
      while (steps[text.charCodeAt(i + 1)] === digit) i += 1;
      isExact &&= isExactNumber(text, start, i + 1);
    } else if (step !== other) {
      depth += step;
      values += Number(step >= 0);
      checkJsonLimits(depth, values);
    }
  }
  return isExact;
}

/** True for digits that are an exact number, given without sign and without digits around them. */
function isExactNumber(text: string, start: number, end: number): boolean {
  const next = text[end];
  if (next === "." || next === "e" || next === "E") return false;
  if (text.charCodeAt(start) !== zero) return end - start <= exactDigitsMax;
  return end - start === 1 && text[start - 1] !== "-";
}

/** Where the string ends that begins before `at`: at its closing quote, or with the text. */
export function endOfString(text: string, at: number, closing: number): number {
  for (let i = at; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit === closing) return i;
    if (unit === backslash) i += 1;
  }
  return text.length;
}
