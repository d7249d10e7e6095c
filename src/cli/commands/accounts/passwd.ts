import { withAdminContext } from "../../admin-context.ts";
import type { DeclareCommand } from "../../command.ts";
import { configOption, type SharedOptions } from "../../io/options.ts";
import { countOf, toPrintable, toShellWord } from "../../io/printable.ts";
import { requireAccount, resetAttempts } from "./account.ts";
import { addHashOptions, checkHashOptions, type NewHashOptions, readNewHash } from "./new-hash.ts";

/** `wfh accounts passwd`. */
export const declarePasswd: DeclareCommand = (accounts, { terminal }) => {
  const command = accounts
    .command("passwd")
    .description(
      "set a password, which ends all sessions of the account and resets its failed attempts",
    )
    .argument("<name>", "user name");
  addHashOptions(command)
    .addOption(configOption())
    .action((userName: string, options: SharedOptions & NewHashOptions) => {
      checkHashOptions(options);
      return withAdminContext(options.config, terminal, async (context) => {
        const { administration } = context;
        const account = await requireAccount(context, userName);
        const hash = await readNewHash(account.userName, options, terminal);
        const sessions = await administration.listSessions(account.recordId, Date.now());
        await administration.setPassword(account.recordId, hash, Date.now());
        await resetAttempts(account, context);
        const name = toPrintable(account.userName);
        terminal.out(
          `Set the password of ${name}; ${countOf(sessions.length, "session ended", "sessions ended")}.\n`,
        );
        if (account.isEnabled) return;
        const word = toShellWord(account.userName);
        terminal.err(`${name} is disabled and cannot log in yet: wfh accounts enable ${word}\n`);
      });
    });
};
