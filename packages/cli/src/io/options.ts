import { toPrintable } from "@wfh/server/lib/printable.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";

/**
 * Finds a word among those allowed.
 *
 * @param name the option or column, for the error.
 * @throws {CommandError}
 */
export function parseChoice<Choice extends string>(
  name: string,
  text: string,
  choices: readonly Choice[],
): Choice {
  const choice = choices.find((one) => one === text);
  if (choice !== undefined) return choice;
  throw notAllowed(
    name,
    text,
    new Intl.ListFormat("en-GB", { type: "disjunction" }).format(choices),
  );
}

const idMin = -(2n ** 63n);
const idMax = 2n ** 63n - 1n;

/**
 * Reads an ID: a signed 64-bit integer in decimal digits, not 0, which means "none" on the wire.
 *
 * @param name the option, argument or column, for the error.
 * @throws {CommandError}
 */
export function parseId(name: string, text: string): bigint {
  const id = /^-?\d{1,19}$/.test(text) ? BigInt(text) : 0n;
  if (id !== 0n && id >= idMin && id <= idMax) return id;
  throw notAllowed(name, text, `a whole number from ${idMin} to ${idMax}, but not 0`);
}

/** Reads IDs joined by commas, and returns them in digits, each once. Throws {CommandError}. */
export function parseIds(name: string, text: string): readonly string[] {
  return [...new Set(text.split(",").map((id) => String(parseId(name, id.trim()))))];
}

/** Forms that rights are limited to, for people; null stands for all. */
export function describeForms(ids: readonly string[] | null): string {
  return ids === null ? "all forms" : `the forms ${ids.join(", ")}`;
}

/** Reads a count, such as the length of a list: one that is longer is not read at once. */
export const parseCount = parserUpTo(100_000);

/** Reads a time limit in whole seconds, of at most an hour. */
export const parseSeconds = parserUpTo(3_600);

/** Makes a parser of whole numbers from 1. */
function parserUpTo(max: number) {
  const digits = new RegExp(`^\\d{1,${String(max).length}}$`);
  return (name: string, text: string): number => {
    const number = digits.test(text) ? Number(text) : 0;
    if (number >= 1 && number <= max) return number;
    throw notAllowed(name, text, `a whole number from 1 to ${max}`);
  };
}

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;

/** Reads a day (its beginning in UTC) or a time with its zone, as milliseconds of UTC. */
export function parseInstant(name: string, text: string): number {
  // Without the day, one such as the 31st of February would be taken for one in March.
  if (isDay(text) || (instant.test(text) && isDay(text.slice(0, 10)))) {
    const ms = Date.parse(text);
    if (!Number.isNaN(ms)) return ms;
  }
  const expected = "a day (2026-11-21, in UTC) or a time with its zone (2026-11-21T10:00:00Z)";
  throw notAllowed(name, text, expected);
}

/** Reads a day, `YYYY-MM-DD`. */
export function parseDay(name: string, text: string): string {
  if (isDay(text)) return text;
  throw notAllowed(name, text, "a day such as 2026-03-30");
}

function isDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  return (
    /^\d{4}-\d\d-\d\d$/.test(text) &&
    !Number.isNaN(date.getTime()) &&
    formatInstant(date.getTime()).startsWith(text)
  );
}

/** A time in UTC with its milliseconds, for people and JSON. */
export function formatInstant(ms: number): string {
  return new Date(ms).toISOString();
}

/** Longest name of an account or a form, in characters: an e-mail address has at most 254. */
const nameCharactersMax = 256;

/**
 * Refuses a name that a person cannot read or type.
 *
 * @param name what is named, for the error, for example `"The user name"`.
 * @returns the name as it is.
 * @throws {CommandError}
 */
export function requireName(name: string, text: string): string {
  const fail = (reason: string) => new CommandError(`${name} ${reason}`, exitCodes.usage);
  if (text.trim() === "") throw fail("is empty");
  requireText(name, text, nameCharactersMax);
  return text;
}

/**
 * Refuses a text that is too long or has invisible characters.
 *
 * @throws {CommandError}
 */
export function requireText(name: string, text: string, charactersMax: number): void {
  const fail = (reason: string) => new CommandError(`${name} ${reason}`, exitCodes.usage);
  if ([...text].length > charactersMax) throw fail(`is longer than ${charactersMax} characters`);
  if (/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\ufffd]/u.test(text)) {
    throw fail(`${toPrintable(text)} contains invisible characters`);
  }
}

/** The error of a value that cannot be used. */
export function notAllowed(name: string, text: string, expected: string): CommandError {
  return new CommandError(`${name} ${toPrintable(text)}: expected ${expected}`, exitCodes.usage);
}
