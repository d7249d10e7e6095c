import { hexUnit } from "../form/fields.ts";
import {
  asMembers,
  checkJsonLimits,
  endOfString,
  JsonError,
  type JsonMembers,
  JsonNumber,
  notJson,
  readJsonObject,
} from "./reader.ts";

/**
 * Reads the members of an object that is written as JSON or as the JavaScript that the
 * JavaScriptSerializer of .NET takes for it (decision 0049). Values are those of
 * {@link readJsonObject}, which reads all that is JSON; the limits are the same too.
 *
 * @throws {JsonError} when the text is neither, not an object, or beyond a limit.
 */
export function readLenientJsonObject(text: string): JsonMembers {
  try {
    return readJsonObject(text);
  } catch (reason) {
    if (!(reason instanceof JsonError)) throw reason;
    return readJavaScriptObject(text);
  }
}

/** As {@link readLenientJsonObject}, without trying JSON first. */
export function readJavaScriptObject(text: string): JsonMembers {
  return asMembers(new LenientReader(text).read());
}

/** `Char.IsWhiteSpace` of .NET, which does not count U+FEFF. */
const whiteSpace = /[\t-\r\x85\p{Z}]*/uy;
/** A bare member name, a number or a word. */
const token = /[\p{L}\p{Nd}.+_-]*/uy;
/** Numbers that `Int32`, `Decimal` and `Double` parse, except with a sign behind the digits. */
const number = /^(?:[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|NaN|-?Infinity)$/;
const backslash = 0x5c;
const letterU = 0x75;
/** Characters after a backslash, and the characters that they escape in the same order. */
const escapeKinds = "\"'/\\bfnrt";
const escapedCharacters = "\"'/\\\b\f\n\r\t";
/** Escaped UTF-16 units by the unit after the backslash; 0 for a malformed escape, and for `u`. */
const escapes = new Uint8Array(128);
for (let i = 0; i < escapeKinds.length; i += 1) {
  escapes[escapeKinds.charCodeAt(i)] = escapedCharacters.charCodeAt(i);
}
const words: ReadonlyMap<string, unknown> = new Map([
  ["null", null],
  ["true", true],
  ["false", false],
]);

class LenientReader {
  private readonly text: string;
  /** Offset of what comes next. */
  private at = 0;
  private values = 0;

  constructor(text: string) {
    this.text = text;
  }

  read(): unknown {
    const value = this.readValue(0);
    if (this.next() !== "") throw this.error();
    return value;
  }

  /** The first character that is not white space; `""` at the end. */
  private next(): string {
    this.match(whiteSpace);
    return this.text[this.at] ?? "";
  }

  private readValue(depth: number): unknown {
    const first = this.next();
    if (first === "{") {
      const members = this.readItems(depth + 1, "}", () => [
        this.readName(),
        this.readValue(depth + 1),
      ]);
      // Makes an own property of each, also of the name __proto__.
      return Object.fromEntries(members as [string, unknown][]);
    }
    if (first === "[") return this.readItems(depth + 1, "]", () => this.readValue(depth + 1));
    return first === '"' || first === "'" ? this.readString(first) : this.readWord();
  }

  /** The items between the bracket that comes next and its closing one. */
  private readItems<Item>(depth: number, closing: string, readItem: () => Item): Item[] {
    const items: Item[] = [];
    let separator = "";
    do {
      this.at += 1;
      this.values += 1;
      checkJsonLimits(depth, this.values);
      if (separator === "" && this.next() === closing) break;
      items.push(readItem());
      separator = this.next();
      if (separator !== "," && separator !== closing) throw this.error();
    } while (separator === ",");
    this.at += 1;
    return items;
  }

  private readName(): string {
    const quote = this.next();
    const name = quote === '"' || quote === "'" ? this.readString(quote) : this.match(token);
    if (name === "" && quote !== '"' && quote !== "'") throw this.error();
    if (this.next() !== ":") throw this.error();
    this.at += 1;
    return name;
  }

  private readString(quote: string): string {
    const start = this.at + 1;
    const end = endOfString(this.text, start, quote.charCodeAt(0));
    if (end >= this.text.length) throw this.error();
    const content = this.text.slice(start, end);
    this.at = end + 1;
    return content.includes("\\") ? this.unescape(content, start) : content;
  }

  /** The content of a string that begins at an offset of the text, with its escapes resolved. */
  private unescape(content: string, start: number): string {
    // Bytes of UTF-16: a callback for each escape, or pieces of text, would cost ten times as much.
    const bytes = new Uint8Array(content.length * 2);
    let length = 0;
    for (let i = 0; i < content.length; i += 1) {
      let unit = content.charCodeAt(i);
      if (unit === backslash) {
        i += 1;
        const kind = content.charCodeAt(i);
        unit = kind === letterU ? hexUnit(content, i + 1) : (escapes[kind] ?? 0);
        if (unit < 0 || (unit === 0 && kind !== letterU)) {
          this.at = start + i;
          throw this.error();
        }
        if (kind === letterU) i += 4;
      }
      bytes[length] = unit & 0xff;
      bytes[length + 1] = unit >> 8;
      length += 2;
    }
    return Buffer.from(bytes.buffer, 0, length).toString("utf16le");
  }

  private readWord(): unknown {
    const start = this.at;
    const word = this.match(token);
    const value = words.get(word);
    if (value !== undefined) return value;
    if (number.test(word)) return new JsonNumber(word);
    this.at = start;
    throw this.error();
  }

  private match(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? "";
    this.at += found.length;
    return found;
  }

  private error(): JsonError {
    return notJson(this.at + 1);
  }
}
