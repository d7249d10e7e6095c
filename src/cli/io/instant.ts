import { CommandError, exitCodes } from "../exit-codes.ts";
import { toPrintable } from "./printable.ts";

const day = /^\d{4}-\d\d-\d\d$/;
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;

/**
 * Reads the time of an option, UTC in milliseconds: a day, which is its beginning in UTC, or a time with
 * its zone. null where the option was not given.
 *
 * @throws {CommandError} naming the option and what is allowed.
 */
export function parseInstant(option: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const ms = day.test(text) || instant.test(text) ? Date.parse(text) : Number.NaN;
  // A day such as the 31st of February is otherwise taken for one in March.
  if (Number.isNaN(ms) || !isDay(text.slice(0, 10))) {
    throw new CommandError(
      `${option} ${toPrintable(text)}: allowed is a day (2026-11-21, in UTC) or a time with its zone (2026-11-21T10:00:00Z)`,
      exitCodes.usage,
    );
  }
  return ms;
}

function isDay(text: string): boolean {
  const ms = Date.parse(text);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
}

/** A time in UTC with its milliseconds, for people and JSON. */
export function formatInstant(ms: number): string {
  return new Date(ms).toISOString();
}
