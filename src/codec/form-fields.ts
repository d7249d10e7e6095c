import { formLimits } from "../contract/limits.ts";
import { fieldDecoder } from "./decode-text.ts";

/** Fields of a form or a query by their names in lower case; a repeated one is joined with commas. */
export type FormFields = ReadonlyMap<string, string>;

const decodeUtf8 = fieldDecoder();

const noFields: FormFields = new Map();

/**
 * Reads `application/x-www-form-urlencoded` text. Names are matched in any case; a name without
 * `=` is no field; escapes that are malformed stay as they are (wire cases `get-pctbad`,
 * `get-noeq-PostalCodeToCityState`, `get-param-repeat`).
 *
 * @param text ASCII or raw UTF-8 as one UTF-16 unit for each byte, as a request line has it.
 * @throws {EncodingError} when the charset is not one that is read here.
 */
export function readFormFields(text: string, charset?: string): FormFields {
  const decode = charset === undefined ? decodeUtf8 : fieldDecoder(charset);
  if (text === "") return noFields;
  const fields = new Map<string, string>();
  for (const pair of text.split("&", formLimits.fields)) {
    const equals = pair.indexOf("=");
    if (equals < 0) continue;
    const name = unescapeField(pair.slice(0, equals), decode).toLowerCase();
    const value = unescapeField(pair.slice(equals + 1), decode);
    const before = fields.get(name);
    fields.set(name, before === undefined ? value : `${before},${value}`);
  }
  return fields;
}

const plain = /^[\x20-\x24\x26-\x2a\x2c-\x7e]*$/;

/** `%uXXXX` stands for a unit of UTF-16, as the `escape()` of old scripts writes it; all else for bytes. */
const unicodeEscape = /%u([\dA-Fa-f]{4})/;

function unescapeField(text: string, decode: (bytes: Uint8Array) => string): string {
  if (plain.test(text)) return text;
  const pieces = text
    .split(unicodeEscape)
    .map((piece, i) =>
      i % 2 === 0 ? decode(unescapeBytes(piece, true)) : String.fromCharCode(hexUnit(piece, 0)),
    );
  return pieces.join("").toWellFormed();
}

/** Text of a path or an action with its `%XX` escapes resolved as UTF-8; malformed ones stay as they are. */
export function unescapePercent(text: string): string {
  return text.includes("%") ? decodeUtf8(unescapeBytes(text, false)) : text;
}

function unescapeBytes(text: string, plusIsBlank: boolean): Uint8Array {
  const bytes = new Uint8Array(text.length);
  let length = 0;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    const escaped = unit === 0x25 ? hexPair(text, i + 1) : -1;
    if (escaped >= 0) i += 2;
    bytes[length] = escaped >= 0 ? escaped : plusIsBlank && unit === 0x2b ? 0x20 : unit;
    length += 1;
  }
  return bytes.subarray(0, length);
}

/** Value of four hexadecimal digits, -1 where there are none. */
export function hexUnit(text: string, at: number): number {
  const high = hexPair(text, at);
  const low = hexPair(text, at + 2);
  return high < 0 || low < 0 ? -1 : high * 256 + low;
}

/** Value of two hexadecimal digits, -1 where there are none. */
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
