import { formLimits } from "../../contract/limits.ts";
import type { Operation } from "../../contract/operation.ts";
import { fieldDecoder } from "../decode-text.ts";
import { absentValue, type InputValues, parsePart, scalarParts } from "../parts.ts";
import { parseScalar } from "../scalars.ts";

/** Fields of a form or query by name in lower case; repeated ones are joined with commas. */
export type FormFields = ReadonlyMap<string, string>;

const decodeUtf8 = fieldDecoder();

const noFields: FormFields = new Map();

/** Values of a field that are longer than the limit. */
export class FieldLengthError extends RangeError {
  /** Its name in lower case. */
  readonly field: string;

  constructor(field: string) {
    super(`The value of ${field} is too long`);
    this.field = field;
  }
}

/**
 * Reads `application/x-www-form-urlencoded` text. Names are matched in any case; a name without
 * `=` is no field; malformed escapes stay as they are (wire cases `get-pctbad`,
 * `get-noeq-PostalCodeToCityState`, `get-param-repeat`).
 *
 * @param text ASCII or raw UTF-8 as one UTF-16 unit for each byte, as a request line has it.
 * @param wanted fields to read, in ASCII lower case; others, as a view state, cost nothing.
 * @throws {EncodingError} when the charset is not supported.
 * @throws {FieldLengthError} when the values of wanted fields are too long.
 */
export function readFormFields(
  text: string,
  { charset, wanted }: { charset?: string | undefined; wanted: readonly string[] },
): FormFields {
  const decode = charset === undefined ? decodeUtf8 : fieldDecoder(charset);
  if (text === "") return noFields;
  const fields = new Map<string, string>();
  let length = 0;
  for (const pair of text.split("&", formLimits.fields)) {
    const equals = pair.indexOf("=");
    if (equals < 0) continue;
    const name = wanted.find((one) => isName(pair.slice(0, equals), one));
    if (name === undefined) continue;
    length += pair.length - equals - 1;
    if (length > formLimits.valueBytes) throw new FieldLengthError(name);
    const value = unescapeField(pair.slice(equals + 1), decode);
    const before = fields.get(name);
    fields.set(name, before === undefined ? value : `${before},${value}`);
  }
  return fields;
}

/** Compiles the reader of an operation's parts; it throws a `PartError` for a wrong one. */
export function compileFieldReader(operation: Operation): (fields: FormFields) => InputValues {
  const parts = scalarParts(operation, parseScalar).map((part) => ({
    part,
    field: part.name.toLowerCase(),
  }));
  return (fields) => {
    const values: Record<string, unknown> = {};
    for (const { part, field } of parts) {
      const text = fields.get(field);
      values[part.name] =
        text === undefined ? absentValue(part) : parsePart(part, text, { found: text });
    }
    return values;
  };
}

const percent = 0x25;
const letterU = 0x75;

const plain = /^[\x20-\x24\x26-\x2a\x2c-\x7e]*$/;

/** `%uXXXX`, a UTF-16 unit as `escape()` of old scripts writes it; everything else is bytes. */
const unicodeEscape = /%u([\dA-Fa-f]{4})/;

/**
 * True when an escaped name equals one of ASCII in any case. Compared unit by unit: a page may send
 * a thousand fields, and resolving all of their names takes milliseconds.
 */
function isName(text: string, name: string): boolean {
  let at = 0;
  for (let i = 0; i < name.length; i += 1) {
    const isPlain = text.charCodeAt(at) !== percent;
    const length = isPlain ? 1 : text.charCodeAt(at + 1) === letterU ? 6 : 3;
    if (toLower(unitOf(text, at, length)) !== name.charCodeAt(i)) return false;
    at += length;
  }
  return at === text.length;
}

/** A plain character (length 1), `%XX` (3) or `%uXXXX` (6); -1 for a malformed escape. */
function unitOf(text: string, at: number, length: number): number {
  if (length === 1) return text.charCodeAt(at);
  return length === 3 ? hexPair(text, at + 1) : hexUnit(text, at + 2);
}

function toLower(unit: number): number {
  return unit >= 0x41 && unit <= 0x5a ? unit + 0x20 : unit;
}

function unescapeField(text: string, decode: (bytes: Uint8Array) => string): string {
  if (plain.test(text)) return text;
  if (!text.includes("%u")) return decode(unescapeBytes(text, true));
  const pieces = text
    .split(unicodeEscape)
    .map((piece, i) =>
      i % 2 === 0
        ? piece && decode(unescapeBytes(piece, true))
        : String.fromCharCode(hexUnit(piece, 0)),
    );
  return pieces.join("").toWellFormed();
}

/** Resolves the `%XX` escapes of a path or an action as UTF-8; malformed ones stay as they are. */
export function unescapePercent(text: string): string {
  return text.includes("%") ? decodeUtf8(unescapeBytes(text, false)) : text;
}

function unescapeBytes(text: string, plusIsBlank: boolean): Uint8Array {
  const bytes = new Uint8Array(text.length);
  let length = 0;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    const escaped = unit === percent ? hexPair(text, i + 1) : -1;
    if (escaped >= 0) i += 2;
    bytes[length] = escaped >= 0 ? escaped : plusIsBlank && unit === 0x2b ? 0x20 : unit;
    length += 1;
  }
  return bytes.subarray(0, length);
}

/** Value of four hexadecimal digits; -1 for anything else. */
export function hexUnit(text: string, at: number): number {
  const high = hexPair(text, at);
  const low = hexPair(text, at + 2);
  return high < 0 || low < 0 ? -1 : high * 256 + low;
}

/** Value of two hexadecimal digits; -1 for anything else. */
function hexPair(text: string, at: number): number {
  const high = hexDigit(text.charCodeAt(at));
  const low = hexDigit(text.charCodeAt(at + 1));
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

function hexDigit(unit: number): number {
  if (unit >= 0x30 && unit <= 0x39) return unit - 0x30;
  const lower = unit | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
