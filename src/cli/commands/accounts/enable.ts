import { keyFileOf } from "../../../server/settings/config.ts";
import { withAdminContext } from "../../admin-context.ts";
import type { DeclareCommand } from "../../command.ts";
import { configOption, type SharedOptions } from "../../io/options.ts";
import { countOf, toPrintable } from "../../io/printable.ts";
import { requireAccount, resetAttempts } from "./account.ts";

/** `wfh accounts enable`. */
export const declareEnable: DeclareCommand = (accounts, { terminal }) => {
  accounts
    .command("enable")
    .description("allow log-ins of an account again, and reset its failed attempts")
    .argument("<name>", "user name")
    .addOption(configOption())
    .action((userName: string, options: SharedOptions) =>
      withAdminContext(options.config, terminal, async (context) => {
        const account = await requireAccount(context, userName);
        await context.administration.setEnabled(account.recordId, true, Date.now());
        const wereReset = await resetAttempts(account, context);
        const attempts = wereReset
          ? "failed attempts are forgotten"
          : "there were no failed attempts";
        terminal.out(`Enabled ${toPrintable(account.userName)}; ${attempts}.\n`);
        if (wereReset !== null) return;
        const file = keyFileOf(context.config);
        terminal.err(
          `There is no key file ${file}. If the server has another, attempts are counted under that: set WFH_KEY_FILE or WFH_SECRET_KEYS as for the server.\n`,
        );
      }),
    );
};

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
