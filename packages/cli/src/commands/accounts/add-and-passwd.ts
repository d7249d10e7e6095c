import { renderJsonLine, toPrintable, toShellWord } from "@wfh/server/lib/printable.ts";
import {
  LegacyHashError,
  type LegacyKind,
  legacyKinds,
  readLegacyHash,
} from "@wfh/server/secrets/legacy-hash.ts";
import { PasswordHasher } from "@wfh/server/secrets/password-hashing.ts";
import { Option } from "commander";
import { type AdminContext, administer } from "../../io/admin-context.ts";
import type { Command, DeclareCommand, SharedOptions } from "../../io/command.ts";
import { CommandError, exitCodes } from "../../io/exit-codes.ts";
import { requireName } from "../../io/options.ts";
import type { Terminal } from "../../io/terminal.ts";
import { countEnded, requireAccount, resetAttempts } from "./access.ts";
import { checkNewPassword, checkPasswordForm } from "./new-password.ts";
import { readSecretLine } from "./secret-line.ts";

interface NewHashOptions {
  /** Kind of the hash to read instead of a password. */
  readonly hash?: LegacyKind;
  /** Accepts a short or common password. */
  readonly allowWeak?: boolean;
}

/** Help about passwords of accounts and operators. */
export const passwordHelp = `
A password is never an argument: other users of the machine could see it, and the shell stores it.
The command asks for it, or reads the first line of standard input (up to 1,024 bytes).
`;

interface AddOptions extends NewHashOptions, SharedOptions {
  readonly record?: bigint;
  readonly contact?: bigint;
}

/** `wfh accounts add`. */
export const declareAddAccount: DeclareCommand = (accounts) => {
  const command = accounts
    .command("add")
    .description("Add an account")
    .argument("<name>", "user name, case-insensitive", parseUserName)
    .id("--record <id>", "record ID returned to callers (default: next free ID)")
    .id("--contact <id>", "contact ID returned to callers (default: the record ID)")
    .shared("json");
  addHashOptions(command).run(administer(add, "existing or new"));
};

async function add(
  { administration, terminal }: AdminContext,
  userName: string,
  options: AddOptions,
): Promise<void> {
  const taken = await administration.findAccount(userName);
  if (taken !== null) {
    throw new CommandError(
      `Account ${toPrintable(taken.userName)} already exists, with record ID ${taken.recordId}.\nChoose another name, or set its password: wfh accounts passwd ${toShellWord(taken.userName)}`,
    );
  }
  const { record: hash, form: hashForm } = await readNewHash(userName, options, terminal);
  const { record = null, contact = null } = options;
  const added = { recordId: record, contactId: contact, userName, hash, hashForm };
  const account = await administration.addAccount(added, Date.now());
  const { recordId, contactId } = account;
  terminal.out(
    options.json
      ? renderJsonLine({ userName: account.userName, recordId, contactId })
      : `Added ${toPrintable(account.userName)}: record ${recordId}, contact ${contactId}\n`,
  );
}

/** Reads the name of a new account or operator. Throws {CommandError}. */
export function parseUserName(text: string): string {
  return requireName("The user name", text);
}

/** `wfh accounts passwd`. */
export const declarePasswd: DeclareCommand = (accounts) => {
  const command = accounts
    .command("passwd")
    .description("Set a password, end all sessions of the account and reset its failed attempts")
    .argument("<name>", "user name");
  addHashOptions(command).run(administer(setPassword));
};

async function setPassword(context: AdminContext, userName: string, options: NewHashOptions) {
  const { administration, terminal } = context;
  const account = await requireAccount(context, userName);
  const hash = await readNewHash(account.userName, options, terminal);
  const sessions = await administration.listSessions(account.recordId, Date.now());
  await administration.setPassword(account.recordId, hash, Date.now());
  await resetAttempts(account, context);
  const name = toPrintable(account.userName);
  terminal.out(`Set the password of ${name}; ${countEnded(sessions.length)}.\n`);
  if (account.isEnabled) return;
  const word = toShellWord(account.userName);
  terminal.err(`${name} is disabled and cannot log in. Enable it: wfh accounts enable ${word}\n`);
}

function addHashOptions(command: Command): Command {
  return command
    .choice("--hash <kind>", "kind of hash to read instead of a password", legacyKinds)
    .addOption(
      new Option("--allow-weak", "accept a short or easily guessed password").conflicts("hash"),
    )
    .shared("config")
    .addHelpText("after", passwordHelp)
    .showHelpAfterError(
      `A password is never an argument: the command asks for it, or reads it from standard input. See ${command.path} --help.`,
    );
}

/**
 * Reads a password, or the hash of an old system, and makes the record that is stored.
 *
 * @throws {CommandError} when it is missing or refused; the message contains no part of it.
 */
export async function readNewHash(
  userName: string,
  options: NewHashOptions,
  terminal: Terminal,
): Promise<{ readonly record: string; readonly form: string }> {
  const hashing = new PasswordHasher({ hashesAtOnce: 1 });
  const { hash: kind } = options;
  const name = toPrintable(userName);
  const check = (password: string) => checkPassword(password, userName, options);
  const question =
    kind === undefined
      ? { prompt: `Password of ${name}`, isTypedTwice: true, check }
      : { prompt: `Hash of ${name} (${kind})`, isTypedTwice: false, check: () => null };
  const secret = await readSecretLine(terminal, question);
  try {
    const record = await (kind === undefined
      ? hashing.hash(secret)
      : hashing.rehash(readLegacyHash(secret, kind)));
    return { record, form: hashing.formOf(record) };
  } catch (cause) {
    if (!(cause instanceof LegacyHashError)) throw cause;
    throw new CommandError(`${cause.message}.\nNothing was changed.`, exitCodes.failed, cause);
  }
}

/** Returns the complaint about a new password; null if it is accepted. */
function checkPassword(
  password: string,
  userName: string,
  { allowWeak }: NewHashOptions,
): string | null {
  const malformed = checkPasswordForm(password);
  if (allowWeak || malformed !== null) return malformed;
  const complaint = checkNewPassword(password, userName);
  return complaint && `${complaint}.\nChoose a stronger one, or use --allow-weak`;
}
