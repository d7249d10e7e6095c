import { CommandError, exitCodes } from "../exit-codes.ts";
import { toPrintable } from "./printable.ts";

const smallest = -(2n ** 63n);
const largest = 2n ** 63n - 1n;

/**
 * Reads an id: a signed 64-bit integer in decimal digits, not 0, which stands for "none" on the wire.
 *
 * @param name the option or argument, for the error.
 * @throws {CommandError} naming it and what is allowed.
 */
export function parseId(name: string, text: string): bigint {
  const id = /^-?\d{1,19}$/.test(text) ? BigInt(text) : 0n;
  if (id === 0n || id < smallest || id > largest) {
    throw new CommandError(
      `${name} ${toPrintable(text)}: allowed is a whole number from ${smallest} to ${largest}, and not 0`,
      exitCodes.usage,
    );
  }
  return id;
}
