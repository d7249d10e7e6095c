import type { Account } from "../../../domain/log-in/accounts/account.ts";
import type { Administration } from "../../../domain/log-in/accounts/administration.ts";
import { CommandError, exitCodes } from "../../exit-codes.ts";
import { toPrintable } from "../../io/printable.ts";

/**
 * Finds the account that a command names.
 *
 * @throws {CommandError} with the exit code `no` when there is none.
 */
export async function findKnownAccount(
  administration: Administration,
  userName: string,
): Promise<Account> {
  const account = await administration.findAccount(userName);
  if (account !== null) return account;
  throw new CommandError(
    `There is no account ${toPrintable(userName)}. See which there are: wfh accounts list`,
    exitCodes.no,
  );
}
