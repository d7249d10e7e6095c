import type { Account } from "../../../domain/log-in/accounts/account.ts";
import { foldUserName } from "../../../domain/log-in/accounts/account.ts";
import { accountKeyOf } from "../../../domain/log-in/limits/rate-limits.ts";
import { createTokens } from "../../../secrets/tokens.ts";
import type { AdminContext } from "../../admin-context.ts";
import { CommandError, exitCodes } from "../../exit-codes.ts";
import { toPrintable } from "../../io/printable.ts";
import { findConfiguredKeys } from "../../secret-keys.ts";

/**
 * Finds the account that a command names.
 *
 * @throws {CommandError} with the exit code `no` when it does not exist.
 */
export async function requireAccount(
  { administration }: Pick<AdminContext, "administration">,
  userName: string,
): Promise<Account> {
  const account = await administration.findAccount(userName);
  if (account !== null) return account;
  throw new CommandError(
    `There is no account ${toPrintable(userName)}. See which there are: wfh accounts list`,
    exitCodes.no,
  );
}

/** Resets the failed attempts of an account, under each key of the server; whether there were any, null without a key. */
export async function resetAttempts(
  account: Account,
  { administration, config }: AdminContext,
): Promise<boolean | null> {
  const secretKeys = findConfiguredKeys(config);
  const name = foldUserName(account.userName);
  const keys = secretKeys?.map((key) => accountKeyOf(createTokens([key]), name)) ?? [];
  const reset = await administration.forgetAttempts(keys, account.recordId);
  return secretKeys === null ? null : reset > 0;
}
