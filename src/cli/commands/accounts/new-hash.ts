import {
  checkNewPassword,
  checkPasswordForm,
} from "../../../domain/log-in/passwords/new-password.ts";
import { LegacyHashError, type LegacyKind, legacyKinds } from "../../../secrets/legacy-hash.ts";
import { PasswordHasher } from "../../../secrets/password-hashing.ts";
import { CommandError, exitCodes } from "../../exit-codes.ts";
import { toPrintable } from "../../io/printable.ts";
import type { Terminal } from "../../io/terminal.ts";
import { readSecretLine } from "../../secret-line.ts";

/** Options of commands that set a password. */
export interface NewHashOptions {
  /** Kind of the hash that is read instead of a password. */
  readonly hash?: string;
  /** Whether a password will do that is short or guessed first. */
  readonly allowWeak?: boolean;
}

/** Whose password is read, and where. */
export interface NewHashDeps {
  readonly userName: string;
  readonly options: NewHashOptions;
  readonly console: Terminal;
}

/**
 * Reads a password, or the hash that an old system made of one, and makes the record that is stored.
 *
 * @throws {CommandError} when there is none or it is refused; the message holds nothing of it.
 */
export async function readNewHash(
  parts: NewHashDeps,
): Promise<{ readonly record: string; readonly form: string }> {
  const hashing = new PasswordHasher({ hashesAtOnce: 1 });
  const kind = requireHashKind(parts.options);
  const record =
    kind === null
      ? await hashing.hash(await readPassword(parts))
      : await wrapHash(await readOldHash(parts, kind), (text) => hashing.rehashLegacy(text, kind));
  return { record, form: hashing.formOf(record) };
}

/**
 * The kind of hash that the options name; null where a password is to be read.
 *
 * @throws {CommandError} when there is no such kind.
 */
export function requireHashKind({ hash, allowWeak }: NewHashOptions): LegacyKind | null {
  if (hash === undefined) return null;
  const kind = legacyKinds.find((name) => name === hash);
  if (kind === undefined) {
    throw new CommandError(
      `--hash ${toPrintable(hash)}: allowed is ${legacyKinds.join(", ")}`,
      exitCodes.usage,
    );
  }
  if (allowWeak) {
    throw new CommandError(
      "--allow-weak says nothing of a hash: leave it out with --hash",
      exitCodes.usage,
    );
  }
  return kind;
}

function readPassword({ userName, options, console }: NewHashDeps): Promise<string> {
  const check = (password: string) => {
    if (options.allowWeak) return checkPasswordForm(password);
    const complaint = checkNewPassword(password, userName);
    if (complaint === null || checkPasswordForm(password) !== null) return complaint;
    return `${complaint}.\nChoose a better one, or say --allow-weak`;
  };
  const prompt = `Password of ${toPrintable(userName)}`;
  return readSecretLine(console, { prompt, isTypedTwice: true, check });
}

function readOldHash({ userName, console }: NewHashDeps, kind: LegacyKind): Promise<string> {
  const prompt = `Hash of ${toPrintable(userName)} (${kind})`;
  return readSecretLine(console, { prompt, isTypedTwice: false, check: () => null });
}

async function wrapHash(text: string, wrap: (text: string) => Promise<string>): Promise<string> {
  try {
    return await wrap(text);
  } catch (cause) {
    if (!(cause instanceof LegacyHashError)) throw cause;
    throw new CommandError(`${cause.message}.\nNothing was changed.`, exitCodes.failed, cause);
  }
}
