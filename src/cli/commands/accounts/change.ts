import type { Account } from "../../../domain/log-in/accounts/account.ts";
import { foldUserName } from "../../../domain/log-in/accounts/credentials.ts";
import { accountKeyOf } from "../../../domain/log-in/limits/rate-limits.ts";
import { createTokens } from "../../../secrets/tokens.ts";
import { keyFileOf } from "../../../server/settings/config.ts";
import { type AdminContext, withAdminContext } from "../../admin-context.ts";
import { exitCodes } from "../../exit-codes.ts";
import { toPrintable, toShellWord } from "../../io/printable.ts";
import type { Terminal } from "../../io/terminal.ts";
import { findConfiguredKeys } from "../../secret-keys.ts";
import { findKnownAccount } from "./known-account.ts";
import { type NewHashOptions, readNewHash, requireHashKind } from "./new-hash.ts";

/** Options of commands that change an account. */
export interface ChangeAccountOptions {
  readonly config?: string;
}

/**
 * Sets the password of an account, which ends its sessions and forgets failed attempts. Resolves to the exit code.
 *
 * @throws {CommandError} when there is no such account or the password is refused.
 */
export async function setPassword(
  userName: string,
  options: ChangeAccountOptions & NewHashOptions,
  console: Terminal,
): Promise<number> {
  requireHashKind(options);
  await withAdminContext(options.config, console, async ({ administration, config }) => {
    const account = await findKnownAccount(administration, userName);
    const hash = await readNewHash({ userName: account.userName, options, console });
    const sessions = await administration.listSessions(account.recordId, Date.now());
    await administration.setPassword(account.recordId, hash, Date.now());
    await forgetAttempts(account, { administration, config });
    const name = toPrintable(account.userName);
    console.out(`Set the password of ${name}; ${countEnded(sessions.length)}.\n`);
    if (!account.isEnabled) {
      console.err(
        `${name} is disabled and cannot log in yet: wfh accounts enable ${toShellWord(account.userName)}\n`,
      );
    }
  });
  return exitCodes.done;
}

/**
 * Keeps an account from logging in, and ends its sessions. Resolves to the exit code.
 *
 * @throws {CommandError} when there is no such account.
 */
export async function disableAccount(
  userName: string,
  options: ChangeAccountOptions,
  console: Terminal,
): Promise<number> {
  await withAdminContext(options.config, console, async ({ administration }) => {
    const account = await findKnownAccount(administration, userName);
    const sessions = await administration.listSessions(account.recordId, Date.now());
    await administration.setEnabled(account.recordId, false, Date.now());
    console.out(`Disabled ${toPrintable(account.userName)}; ${countEnded(sessions.length)}.\n`);
  });
  return exitCodes.done;
}

/**
 * Lets an account log in again, also where too many failed attempts held it. Resolves to the exit code.
 *
 * @throws {CommandError} when there is no such account, or the secret keys cannot be read.
 */
export async function enableAccount(
  userName: string,
  options: ChangeAccountOptions,
  console: Terminal,
): Promise<number> {
  await withAdminContext(options.config, console, async ({ administration, config }) => {
    const account = await findKnownAccount(administration, userName);
    await administration.setEnabled(account.recordId, true, Date.now());
    const forgotten = await forgetAttempts(account, { administration, config });
    const name = toPrintable(account.userName);
    const attempts = forgotten ? "failed attempts are forgotten" : "there were no failed attempts";
    console.out(`Enabled ${name}; ${attempts}.\n`);
    if (forgotten === null) {
      console.err(
        `There is no key file ${keyFileOf(config)}. If the server has another, attempts are counted under that: set WFH_KEY_FILE or WFH_SECRET_KEYS as for the server.\n`,
      );
    }
  });
  return exitCodes.done;
}

/** Forgets the attempts on an account, under each key of the server: whether there were any; null where there is no key. */
async function forgetAttempts(
  account: Account,
  { administration, config }: AdminContext,
): Promise<boolean | null> {
  const secretKeys = findConfiguredKeys(config);
  const name = foldUserName(account.userName);
  const keys = secretKeys?.map((key) => accountKeyOf(createTokens([key]), name)) ?? [];
  const forgotten = await administration.forgetAttempts(keys, account.recordId);
  return secretKeys === null ? null : forgotten > 0;
}

/** How many sessions ended, for people. */
export function countEnded(sessions: number): string {
  return sessions === 1 ? "1 session ended" : `${sessions.toLocaleString("en-US")} sessions ended`;
}
