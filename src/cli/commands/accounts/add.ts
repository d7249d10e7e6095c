import { withAdminContext } from "../../admin-context.ts";
import type { DeclareCommand } from "../../command.ts";
import { CommandError } from "../../exit-codes.ts";
import { configOption, idOption, requireName, type SharedOptions } from "../../io/options.ts";
import { renderJsonLine, toPrintable, toShellWord } from "../../io/printable.ts";
import type { Terminal } from "../../io/terminal.ts";
import { addHashOptions, checkHashOptions, type NewHashOptions, readNewHash } from "./new-hash.ts";

interface AddOptions extends NewHashOptions, SharedOptions {
  readonly record?: bigint;
  readonly contact?: bigint;
}

/** `wfh accounts add`. */
export const declareAdd: DeclareCommand = (accounts, { terminal }) => {
  const command = accounts
    .command("add")
    .description("add an account; its password is asked for, or read from standard input")
    .argument("<name>", "user name, in any case")
    .addOption(idOption("--record <id>", "record ID returned to callers (default: next free ID)"))
    .addOption(
      idOption("--contact <id>", "contact ID returned to callers (default: the record ID)"),
    );
  addHashOptions(command)
    .option("--json", "one JSON object instead of a sentence")
    .addOption(configOption())
    .action((userName: string, options: AddOptions) => addAccount(userName, options, terminal));
};

async function addAccount(
  userName: string,
  options: AddOptions,
  terminal: Terminal,
): Promise<void> {
  checkHashOptions(options);
  requireName("The user name", userName);
  const { record: recordId = null, contact: contactId = null } = options;
  const account = await withAdminContext(
    options.config,
    terminal,
    async ({ administration }) => {
      const taken = await administration.findAccount(userName);
      if (taken !== null) {
        throw new CommandError(
          `There is an account ${toPrintable(taken.userName)} already, record ${taken.recordId}.\nChoose another name, or set its password: wfh accounts passwd ${toShellWord(taken.userName)}`,
        );
      }
      const { record: hash, form: hashForm } = await readNewHash(userName, options, terminal);
      const added = { recordId, contactId, userName, hash, hashForm };
      return await administration.addAccount(added, Date.now());
    },
    "existing or new",
  );
  const { recordId: record, contactId: contact } = account;
  terminal.out(
    options.json
      ? renderJsonLine({ userName: account.userName, recordId: record, contactId: contact })
      : `Added ${toPrintable(account.userName)}: record ${record}, contact ${contact}\n`,
  );
}
