import type { ScalarName } from "../contract/operation.ts";

/** Largest and smallest xsd:int (XML Schema Part 2 §3.3.17). */
const intMax = 2_147_483_647;
const intMin = -2_147_483_648;

const integer = /^[\t\n\r ]*([+-]?[0-9]+)[\t\n\r ]*$/;
const boolean = /^[\t\n\r ]*(?:(true|1)|false|0)[\t\n\r ]*$/;

/**
 * Reads an xsd:int with XML white space around it, for example `"42"`, `" -7 "` or `"+007"`.
 *
 * @throws {SyntaxError} when the text is not an integer.
 * @throws {RangeError} when it does not fit in 32 bits.
 */
export function parseInt32(text: string): number {
  const digits = integer.exec(text)?.[1];
  // Both messages are the reference stack's: clients show them, and some look for them.
  if (digits === undefined) throw new SyntaxError("Input string was not in a correct format.");
  const value = Number(digits);
  if (value < intMin || value > intMax) {
    throw new RangeError("Value was either too large or too small for an Int32.");
  }
  // "-0" reads as negative zero, which no int is.
  return value === 0 ? 0 : value;
}

/**
 * Reads an xsd:boolean: `true`, `false`, `1` or `0`, with XML white space around it.
 *
 * @throws {SyntaxError} when the text is anything else.
 */
export function parseBoolean(text: string): boolean {
  const match = boolean.exec(text);
  if (match === null) throw new SyntaxError("String was not recognized as a valid Boolean.");
  return match[1] !== undefined;
}

/** Readers of the scalar types; each throws a SyntaxError or a RangeError for a text that does not fit. */
export const parseScalar: Readonly<
  Record<ScalarName, (text: string) => string | number | boolean>
> = {
  string: (text) => text,
  int: parseInt32,
  boolean: parseBoolean,
};

/** Names of the scalar types in the messages of the reference stack. */
export const platformNames: Readonly<Record<ScalarName, string>> = {
  string: "System.String",
  int: "System.Int32",
  boolean: "System.Boolean",
};
