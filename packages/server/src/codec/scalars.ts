import type { DateTime, ScalarName } from "../contract/operation.ts";
import { parseDateTime } from "./date-time.ts";

/** Largest and smallest xsd:int (XML Schema Part 2 §3.3.17). */
const intMax = 2_147_483_647;
const intMin = -2_147_483_648;

/** Digits of the largest xsd:long. */
const longDigitsMax = 19;

/** Messages of the reference stack: clients show them, and some look for them. */
export const notANumber = "Input string was not in a correct format.";
const notInLongRange = "Value was either too large or too small for an Int64.";

/** As nearly all are sent, and short enough for a number to hold. */
const plainInteger = /^\d{1,15}$/;
/** Allows what .NET does and XML does not: VT and FF as white space, and NULs at the end. */
const integer = /^[\t-\r ]*([+-]?[0-9]+)[\t-\r ]*\0*$/;
/** At most as many digits as a double has, so that a long text is refused at once. */
const double = /^[\t\n\r ]*[+-]?\d{1,20}(?:\.\d{0,20})?[\t\n\r ]*$/;
const boolean = /^[\t\n\r ]*(?:(true|1)|false|0)[\t\n\r ]*$/;

/**
 * Reads an xsd:int with XML white space around it, for example `"42"`, `" -7 "` or `"+007"`.
 *
 * @throws {SyntaxError} when the text is not an integer.
 * @throws {RangeError} when it does not fit in 32 bits.
 */
export function parseInt32(text: string): number {
  const digits = integer.exec(text)?.[1];
  if (digits === undefined) throw new SyntaxError(notANumber);
  return checkInt32(Number(digits));
}

/** The value itself. Throws a RangeError when it does not fit an xsd:int. */
export function checkInt32(value: number): number {
  if (value < intMin || value > intMax) {
    throw new RangeError("Value was either too large or too small for an Int32.");
  }
  // "-0" reads as negative zero, which no int is.
  return value === 0 ? 0 : value;
}

/**
 * Reads an xsd:long with XML white space around it, such as `"9223372036854775807"` or `" -7 "`.
 *
 * @throws {SyntaxError} when the text is not an integer.
 * @throws {RangeError} when it does not fit in 64 bits.
 */
export function parseLong(text: string): bigint {
  if (plainInteger.test(text)) return BigInt(Number(text));
  const digits = integer.exec(text)?.[1];
  if (digits === undefined) throw new SyntaxError(notANumber);
  // A long text of digits would take long to become a number only to be refused.
  const significant = digits.replace(/^[+-]?0*/, "");
  if (significant.length > longDigitsMax) throw new RangeError(notInLongRange);
  return checkLong(BigInt(digits.startsWith("+") ? digits.slice(1) : digits));
}

/** The value itself. Throws a RangeError when it does not fit an xsd:long. */
export function checkLong(value: bigint): bigint {
  if (BigInt.asIntN(64, value) !== value) throw new RangeError(notInLongRange);
  return value;
}

/**
 * Reads an xsd:double without an exponent, such as `"-73.9967"`. White space may be around it.
 *
 * @throws {SyntaxError} when the text is no such number.
 */
export function parseDouble(text: string): number {
  if (!double.test(text)) throw new SyntaxError(notANumber);
  return Number(text);
}

/** Reads `true`, `false`, `1` or `0` with XML white space around it, or throws a SyntaxError. */
export function parseBoolean(text: string): boolean {
  const match = boolean.exec(text);
  if (match === null) throw new SyntaxError("String was not recognized as a valid Boolean.");
  return match[1] !== undefined;
}

/** Value of a scalar, as the contract's types have it. */
export type Scalar = string | number | bigint | boolean | DateTime;

/** Readers of the scalar types; each throws a SyntaxError or RangeError for a wrong text. */
export const parseScalar: Readonly<Record<ScalarName, (text: string) => Scalar>> = {
  string: String,
  int: parseInt32,
  long: parseLong,
  double: parseDouble,
  boolean: parseBoolean,
  dateTime: parseDateTime,
};

/** Names of the scalar types in the messages of the reference stack. */
export const platformNames: Readonly<Record<ScalarName, string>> = {
  string: "System.String",
  int: "System.Int32",
  long: "System.Int64",
  double: "System.Double",
  boolean: "System.Boolean",
  dateTime: "System.DateTime",
};
