import { withAdminContext } from "../../admin-context.ts";
import type { DeclareCommand } from "../../command.ts";
import { configOption, type SharedOptions } from "../../io/options.ts";
import { countOf, toPrintable } from "../../io/printable.ts";
import { requireAccount } from "./account.ts";

/** `wfh accounts disable`. */
export const declareDisable: DeclareCommand = (accounts, { terminal }) => {
  accounts
    .command("disable")
    .description("refuse log-ins of an account, and end its sessions")
    .argument("<name>", "user name")
    .addOption(configOption())
    .action((userName: string, options: SharedOptions) =>
      withAdminContext(options.config, terminal, async (context) => {
        const { administration } = context;
        const { recordId, userName: name } = await requireAccount(context, userName);
        const sessions = await administration.listSessions(recordId, Date.now());
        await administration.setEnabled(recordId, false, Date.now());
        terminal.out(
          `Disabled ${toPrintable(name)}; ${countOf(sessions.length, "session ended", "sessions ended")}.\n`,
        );
      }),
    );
};
