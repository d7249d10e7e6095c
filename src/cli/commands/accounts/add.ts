import { type AdminContext, withAdminContext } from "../../admin-context.ts";
import { CommandError, exitCodes } from "../../exit-codes.ts";
import { parseId, requireName } from "../../io/options.ts";
import { renderJsonLine, toPrintable, toShellWord } from "../../io/printable.ts";
import type { Terminal } from "../../io/terminal.ts";
import { type NewHashOptions, readNewHash, requireHashKind } from "./new-hash.ts";

/** Options of `accounts add`. */
export interface AddAccountOptions extends NewHashOptions {
  /** Ids of the account in decimal digits; the next free one where there is none. */
  readonly record?: string;
  readonly contact?: string;
  readonly json?: boolean;
  readonly config?: string;
}

/**
 * Adds an account with a password that is read, or with the hash that an old system made of it. Resolves to the exit code.
 *
 * @throws {CommandError} when the name or an id is taken, or the password is refused.
 */
export async function addAccount(
  userName: string,
  options: AddAccountOptions,
  console: Terminal,
): Promise<number> {
  requireHashKind(options);
  requireName("The user name", userName);
  const recordId = parseOptional("--record", options.record);
  const contactId = parseOptional("--contact", options.contact);
  const add = async ({ administration }: AdminContext) => {
    const taken = await administration.findAccount(userName);
    if (taken !== null) throw takenError(taken.userName, taken.recordId);
    const { record, form } = await readNewHash({ userName, options, console });
    return await administration.addAccount(
      { recordId, contactId, userName, hash: record, hashForm: form },
      Date.now(),
    );
  };
  const account = await withAdminContext(options.config, console, add, "existing or new");
  const { recordId: record, contactId: contact } = account;
  console.out(
    options.json
      ? renderJsonLine({ userName: account.userName, recordId: record, contactId: contact })
      : `Added ${toPrintable(account.userName)}: record ${record}, contact ${contact}\n`,
  );
  return exitCodes.done;
}

function parseOptional(name: string, text: string | undefined): bigint | null {
  return text === undefined ? null : parseId(name, text);
}

function takenError(userName: string, recordId: bigint): CommandError {
  return new CommandError(
    `There is an account ${toPrintable(userName)} already, record ${recordId}.\nChoose another name, or set its password: wfh accounts passwd ${toShellWord(userName)}`,
  );
}
