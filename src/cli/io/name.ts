import { CommandError, exitCodes } from "../exit-codes.ts";
import { toPrintable } from "./printable.ts";

/** Longest name of an account or a form, in characters: an address of e-mail has at most 254. */
const nameMax = 256;

/**
 * Refuses a name that nobody could read or type.
 *
 * @param what what it names, for the error, for example `"The user name"`.
 * @throws {CommandError}
 */
export function requireName(what: string, name: string): void {
  const fail = (reason: string) => new CommandError(`${what} ${reason}`, exitCodes.usage);
  if (name.trim() === "") throw fail("is empty");
  if ([...name].length > nameMax) throw fail(`is longer than ${nameMax} characters`);
  if (/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\ufffd]/u.test(name)) {
    throw fail(`${toPrintable(name)} contains invisible characters`);
  }
}
