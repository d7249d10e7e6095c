import type { Operation, ScalarName } from "../../contract/operation.ts";
import { parseJsonDate } from "../date-time.ts";
import { absentValue, type InputValues, nilValue, parsePart, scalarParts } from "../parts.ts";
import {
  checkInt32,
  checkLong,
  notANumber,
  parseBoolean,
  parseDouble,
  type Scalar,
} from "../scalars.ts";
import { type JsonMembers, JsonNumber } from "./reader.ts";

/**
 * Compiles the reader of an operation's parts from the members of a JSON object. Members come in
 * any order, unknown ones are ignored, names match to the letter.
 *
 * The reader throws a `PartError` for a member that is missing, null, or not of its type.
 */
export function compileMemberReader(operation: Operation): (members: JsonMembers) => InputValues {
  const parts = scalarParts(operation, readers);
  const nothing = Object.fromEntries(parts.map(({ name }) => [name, null]));
  return (members) => {
    // A copy has its form from the start: growing part by part costs as much as reading them.
    const values: Record<string, unknown> = { ...nothing };
    for (const part of parts) {
      // No part has a name that objects have of themselves.
      const value = members[part.name];
      if (value === undefined) absentValue(part);
      else values[part.name] = value === null ? nilValue(part) : parsePart(part, value);
    }
    return values;
  };
}

const readers: Readonly<Record<ScalarName, (value: unknown) => Scalar>> = {
  string: (value) => {
    if (typeof value === "string") return value;
    return typeof value === "boolean" ? String(value) : numberText(value);
  },
  int: (value) =>
    checkInt32(Number.isSafeInteger(value) ? Number(value) : Number(parseWhole(numberText(value)))),
  // Nearly all longs are whole numbers that a double holds exactly.
  long: (value) =>
    Number.isSafeInteger(value)
      ? BigInt(value as number)
      : checkLong(parseWhole(numberText(value))),
  double: (value) => parseDouble(numberText(value)),
  boolean: (value) => (typeof value === "boolean" ? value : parseBoolean(numberText(value))),
  dateTime: (value) => {
    if (typeof value !== "string") throw new SyntaxError("Expected a string.");
    return parseJsonDate(value);
  },
};

/** A number as it was written, or the string that was sent instead. */
function numberText(value: unknown): string {
  if (typeof value === "number") return String(value);
  if (value instanceof JsonNumber) return value.text;
  if (typeof value !== "string") throw new SyntaxError("Expected a string.");
  return value;
}

/** Longest number, in characters: a long with sign, zeros and an exponent. */
const numberLengthMax = 64;
/** Most places that an exponent may move a whole number; the largest long has 19 digits. */
const exponentMax = 64;
const number = /^[\t\n\r ]*([+-]?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?[\t\n\r ]*$/;

/** A whole number as JSON may write it, exactly: `5`, `" +5 "`, `5.0`, `1e2`. */
function parseWhole(source: string): bigint {
  const match = source.length > numberLengthMax ? null : number.exec(source);
  if (match === null) throw new SyntaxError(notANumber);
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = match;
  const shift = Number(exponent) - fraction.length;
  const digits = BigInt(whole + fraction);
  if (digits === 0n) return 0n;
  if (Math.abs(shift) > exponentMax) throw new RangeError(notANumber);
  const scale = 10n ** BigInt(Math.abs(shift));
  if (shift < 0 && digits % scale !== 0n) throw new SyntaxError(notANumber);
  const value = shift < 0 ? digits / scale : digits * scale;
  return sign === "-" ? -value : value;
}
