import { parseDateTime } from "../../codec/date-time.ts";
import type { InputValues } from "../../codec/parts.ts";
import { checkInt32, checkLong } from "../../codec/scalars.ts";
import type { Part, ScalarName } from "../../contract/operation.ts";
import { Fault, type FieldError } from "../../fault.ts";
import { findNear } from "../../lib/edit-distance.ts";

type Parts = Readonly<Record<string, Part>>;
type Members = Readonly<Record<string, unknown>>;

/** Reads a JSON value as a scalar; throws an Error whose message completes "formId must be …". */
type ReadValue = (value: unknown) => unknown;

/**
 * Compiles the reader of an object whose members are parts. Refuses unknown members, which may be
 * misspelled. The reader adds what is wrong to a list and returns the values as far as possible.
 */
export function compileMembers(
  parts: Parts,
): (value: unknown, errors: FieldError[], index?: number) => InputValues {
  const readers = new Map(Object.entries(parts).map(([name, part]) => [name, compilePart(part)]));
  const names = [...readers.keys()];
  const addMissing = compileMissing(parts);
  const nothing = Object.fromEntries(names.map((name) => [name, null]));
  return (value, errors, index) => {
    const add: Add = (field, detail) => {
      if (detail === undefined) return;
      const name = field.slice(0, nameMax);
      errors.push({ field: name, ...(index !== undefined && { index }), detail });
    };
    if (!isObject(value)) {
      add("", `Write an object with the members ${names.join(", ")}.`);
      return nothing;
    }
    const values: Record<string, unknown> = { ...nothing };
    for (const name of Object.keys(value)) {
      // A body may hold thousands of names, and to describe each takes time.
      if (errors.length >= fieldErrorsMax) return values;
      const read = readers.get(name);
      const isKnown = read !== undefined;
      add(name, isKnown ? read(value[name], values, name) : describeUnknown(name, names));
    }
    addMissing(value, add);
    return values;
  };
}

type Add = (field: string, detail: string | undefined) => void;

/** Finds the parts that are required, and those that others need. */
function compileMissing(parts: Parts): (value: Members, add: Add) => void {
  const all = Object.entries(parts);
  const required = all.flatMap(([name, { optional }]) => (optional ? [] : [name]));
  const dependent = all.flatMap(([name, { needs }]) =>
    needs === undefined ? [] : [[name, needs] as const],
  );
  return (value, add) => {
    for (const name of required) {
      if (!Object.hasOwn(value, name)) add(name, `${name} is missing.`);
    }
    for (const [name, other] of dependent) {
      const isMissing = isGiven(value[name]) && !isGiven(value[other]);
      if (isMissing) add(other, `${other} is missing: ${name} needs it.`);
    }
  };
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Longest name of a caller's that is repeated, in UTF-16 units. */
export const nameMax = 40;

function describeUnknown(name: string, names: readonly string[]): string {
  const given = name.slice(0, nameMax);
  if (names.length === 0) return `${given} is not known: there are no parameters here.`;
  const [meant] = findNear(given, names, {
    distanceMax: ({ length }) => Math.max(2, Math.floor(length / 3)),
  });
  const hint = meant === undefined ? `known are ${names.join(", ")}.` : `did you mean ${meant}?`;
  return `${given} is not known: ${hint}`;
}

/** Returns what is wrong, or undefined after it has put the value into its place. */
function compilePart(part: Part) {
  const { optional, nillable } = part;
  const read = readerOf(part);
  return (value: unknown, values: Record<string, unknown>, name: string): string | undefined => {
    if (value === null && (optional || nillable)) return undefined;
    try {
      values[name] = read(value);
      return undefined;
    } catch (cause) {
      if (!(cause instanceof Error)) throw cause;
      return `${name} must be ${cause.message}.`;
    }
  };
}

function readerOf(part: Part): ReadValue {
  const read = scalarReaderOf(part);
  if (!part.list) return read;
  const [min, max] = part.items ?? [0, 0];
  return (given) => {
    if (!Array.isArray(given) || given.length < min || given.length > max) {
      throw new Error(`a list of ${min} to ${max}`);
    }
    return given.map(read);
  };
}

function scalarReaderOf({ type, pattern, form: expected, maxLength, values }: Part): ReadValue {
  if (typeof type !== "string") throw new TypeError("A member of a REST request is a scalar");
  const read = readers[type];
  if (type !== "string") return read;
  const form = pattern === undefined ? undefined : new RegExp(`^(?:${pattern})$`);
  return (value) => {
    const text = read(value) as string;
    if (form !== undefined && !form.test(text))
      throw new Error(expected ?? `text that ${pattern} matches`);
    if (maxLength !== undefined && isLonger(text, maxLength)) {
      throw new Error(`at most ${maxLength} characters long`);
    }
    if (values !== undefined && !values.includes(text))
      throw new Error(`one of ${values.join(", ")}`);
    return text;
  };
}

/** True when a text has more characters; one beyond the first 65,536 has two UTF-16 units. */
function isLonger(text: string, charactersMax: number): boolean {
  if (text.length <= charactersMax) return false;
  return text.length > 2 * charactersMax || [...text].length > charactersMax;
}

/** Form of a long, as a regular expression. */
export const longForm = "-?\\d{1,19}";
const long = new RegExp(`^${longForm}$`);

const readers: Readonly<Record<ScalarName, ReadValue>> = {
  string: (value) => {
    if (typeof value !== "string") throw new Error("a string");
    return value;
  },
  int: (value) => {
    if (!Number.isInteger(value)) throw new Error("a whole number");
    return inRange(() => checkInt32(value as number), "a whole number of 32 bits");
  },
  long: (value) => {
    if (typeof value === "number") {
      // The number is not repeated: it may have lost digits already.
      throw new Error('a string such as "12", since JSON numbers lose digits beyond 2^53');
    }
    if (typeof value !== "string" || !long.test(value)) {
      throw new Error('a string with a whole number, such as "12"');
    }
    return inRange(() => checkLong(BigInt(value)), "a whole number of 64 bits");
  },
  double: (value) => {
    if (!Number.isFinite(value)) throw new Error("a number");
    return value;
  },
  boolean: (value) => {
    if (typeof value !== "boolean") throw new Error("true or false");
    return value;
  },
  dateTime: (value) => {
    if (typeof value !== "string") throw new Error('a time such as "2026-03-14T15:09:26Z"');
    return inRange(() => parseDateTime(value), 'a time such as "2026-03-14T15:09:26Z"');
  },
};

function inRange<Value>(read: () => Value, expected: string): Value {
  try {
    return read();
  } catch {
    throw new Error(expected);
  }
}

/** Most errors that a fault lists: a hundred items that are wrong alike say no more than twenty. */
const fieldErrorsMax = 20;

/**
 * Does nothing where there are no errors.
 *
 * @throws {Fault} `unreadable-part` with the errors of a call.
 */
export function refuseErrors(errors: readonly FieldError[]): void {
  const [first] = errors;
  if (first === undefined) return;
  const more = errors.length === 1 ? "" : ` (and ${errors.length - 1} more)`;
  const where = first.index === undefined ? "" : `Item ${first.index}: `;
  throw new Fault("unreadable-part", `${where}${first.detail}${more}`, {
    fields: errors.slice(0, fieldErrorsMax),
    // No name of the caller's, which may be a secret in the wrong place.
    hint: `${errors.length} fields`,
  });
}
