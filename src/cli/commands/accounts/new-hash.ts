import type { Command } from "commander";
import {
  checkNewPassword,
  checkPasswordForm,
} from "../../../domain/log-in/passwords/new-password.ts";
import { LegacyHashError, type LegacyKind, legacyKinds } from "../../../secrets/legacy-hash.ts";
import { PasswordHasher } from "../../../secrets/password-hashing.ts";
import { CommandError, exitCodes } from "../../exit-codes.ts";
import { choiceOption } from "../../io/options.ts";
import { toPrintable } from "../../io/printable.ts";
import type { Terminal } from "../../io/terminal.ts";
import { readSecretLine } from "./secret-line.ts";

/** Options of commands that set a password. */
export interface NewHashOptions {
  /** Kind of the hash to read instead of a password. */
  readonly hash?: LegacyKind;
  /** Whether a password may be short or common. */
  readonly allowWeak?: boolean;
}

const help = `
A password is never an argument: other users of the machine could see it, and the shell stores it.
The command asks for it, or reads the first line of standard input, at most 1,024 bytes.
`;

/** Adds the options and the help of a command that sets a password. */
export function addHashOptions(command: Command): Command {
  return command
    .addOption(
      choiceOption("--hash <kind>", "kind of the hash to read instead of a password", legacyKinds),
    )
    .option("--allow-weak", "accept a password that is short or easy to guess")
    .addHelpText("after", help)
    .showHelpAfterError(
      "A password is never an argument: it is asked for, or read from standard input. See --help.",
    );
}

/**
 * Reads a password, or the hash that an old system made of one, and makes the record that is stored.
 *
 * @throws {CommandError} when it is missing or refused; the message holds nothing of it.
 */
export async function readNewHash(
  userName: string,
  options: NewHashOptions,
  terminal: Terminal,
): Promise<{ readonly record: string; readonly form: string }> {
  const hashing = new PasswordHasher({ hashesAtOnce: 1 });
  const { hash: kind } = options;
  const name = toPrintable(userName);
  if (kind === undefined) {
    const check = (password: string) => checkPassword(password, userName, options);
    const question = { prompt: `Password of ${name}`, isTypedTwice: true, check };
    const record = await hashing.hash(await readSecretLine(terminal, question));
    return { record, form: hashing.formOf(record) };
  }
  const prompt = `Hash of ${name} (${kind})`;
  const question = { prompt, isTypedTwice: false, check: () => null };
  const legacy = await readSecretLine(terminal, question);
  try {
    const record = await hashing.rehashLegacy(legacy, kind);
    return { record, form: hashing.formOf(record) };
  } catch (cause) {
    if (!(cause instanceof LegacyHashError)) throw cause;
    throw new CommandError(`${cause.message}.\nNothing was changed.`, exitCodes.failed, cause);
  }
}

/**
 * Refuses options that contradict each other.
 *
 * @throws {CommandError}
 */
export function checkHashOptions({ hash, allowWeak }: NewHashOptions): void {
  if (hash === undefined || !allowWeak) return;
  throw new CommandError(
    "--allow-weak does not apply to a hash: leave it out with --hash",
    exitCodes.usage,
  );
}

/** What is wrong with a new password; null where it will do. */
function checkPassword(
  password: string,
  userName: string,
  { allowWeak }: NewHashOptions,
): string | null {
  const malformed = checkPasswordForm(password);
  if (allowWeak || malformed !== null) return malformed;
  const complaint = checkNewPassword(password, userName);
  return complaint && `${complaint}.\nChoose a better one, or use --allow-weak`;
}
