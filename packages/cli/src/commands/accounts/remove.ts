import type { Account } from "@wfh/server/domain/log-in/accounts/account.ts";
import { countOf, toPrintable } from "@wfh/server/lib/printable.ts";
import { type AdminContext, administer } from "../../io/admin-context.ts";
import type { DeclareCommand, SharedOptions } from "../../io/command.ts";
import { printRecords } from "../../io/report.ts";
import { interruptible, requireConsent } from "../../io/terminal.ts";
import { findAttemptKeys, requireAccount, warnWithoutKey } from "./access.ts";

const help = `
Deletes the account with its sessions, remembered log-ins and counted attempts. Its events are kept,
without account, session, network and request. Page requests with its contact ID are kept too; to
delete them, run wfh page-requests delete --contact <id>. Backups, logs and exports are not changed.
`;

/** `wfh accounts remove`. */
export const declareRemove: DeclareCommand = (accounts) =>
  accounts
    .command("remove")
    .description("Remove accounts, and make their events anonymous")
    .argument("<names...>", "user names")
    .shared("dryRun", "yes", "config")
    .addHelpText("after", help)
    .run(administer(removeAccounts));

async function removeAccounts(
  context: AdminContext,
  names: readonly string[],
  options: SharedOptions,
): Promise<void> {
  const { administration, terminal } = context;
  const accounts = new Map<bigint, Account>();
  for (const name of names) {
    const account = await requireAccount(context, name);
    accounts.set(account.recordId, account);
  }
  const list = await Array.fromAsync(accounts.values(), async (account) => ({
    ...account,
    ...(await administration.countTraces(account)),
  }));
  printRecords(terminal, {}, list, {
    none: "",
    columns: [
      ["User name", ({ userName }) => userName],
      ["Record", ({ recordId }) => String(recordId)],
      ["Contact", ({ contactId }) => String(contactId)],
      ["Sessions", ({ sessions }) => sessions],
      ["Events", ({ events }) => events],
    ],
  });
  if (options.dryRun) {
    terminal.out("Nothing was removed: this was a dry run.\n");
    return;
  }
  await requireConsent(terminal, options, `remove ${countOf(list.length, "account")} for good`);
  const message = "Interrupted. Run the command again for the accounts that are not removed yet.";
  await interruptible(terminal, message, async (signal) => {
    for (const account of list) {
      await removeAccount(context, account, signal);
      terminal.out(describeRemoval(account));
    }
  });
}

async function removeAccount(
  context: AdminContext,
  account: Account,
  signal: AbortSignal,
): Promise<void> {
  const keys = findAttemptKeys(account.userName, context);
  const step = () => context.administration.removeStep(account.recordId, keys ?? [], Date.now());
  while (!(await step())) signal.throwIfAborted();
  if (keys === null) warnWithoutKey(context);
}

function describeRemoval({ userName, contactId, sameContact }: Account & { sameContact: number }) {
  const others = sameContact === 1 ? "Another account has" : `${sameContact} other accounts have`;
  const whose = sameContact === 0 ? "" : ` ${others} the same contact.`;
  return `Removed ${toPrintable(userName)}. Page requests with contact ${contactId} remain:${whose} wfh page-requests delete --contact ${contactId}\n`;
}
