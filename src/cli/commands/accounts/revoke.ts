import { type AdminContext, withAdminContext } from "../../admin-context.ts";
import type { DeclareCommand } from "../../command.ts";
import { CommandError, exitCodes } from "../../exit-codes.ts";
import { configOption, idOption, type SharedOptions } from "../../io/options.ts";
import { countOf, toPrintable, toShellWord } from "../../io/printable.ts";
import { confirm, type Terminal } from "../../io/terminal.ts";
import { requireAccount } from "./account.ts";

interface RevokeOptions extends Pick<SharedOptions, "config"> {
  readonly session?: bigint;
  readonly instance?: bigint;
  readonly all?: boolean;
  /** Consent to `all` without a question. */
  readonly yes?: boolean;
}

type Target = Parameters<AdminContext["administration"]["revoke"]>[0];

/** `wfh accounts revoke`. */
export const declareRevoke: DeclareCommand = (accounts, { terminal }) => {
  accounts
    .command("revoke")
    .description("end sessions of an account, of an application instance, or of everyone")
    .argument("[name]", "user name: all sessions of the account, or the one of --session")
    .addOption(
      idOption("--session <id>", "one session of the account, as shown by wfh accounts sessions"),
    )
    .addOption(idOption("--instance <id>", "all sessions of an application instance"))
    .option("--all", "all sessions of all accounts")
    .option("--yes", "do not ask before --all")
    .addOption(configOption())
    .action((userName: string | undefined, options: RevokeOptions) =>
      revokeSessions(userName, options, terminal),
    );
};

async function revokeSessions(
  userName: string | undefined,
  options: RevokeOptions,
  terminal: Terminal,
): Promise<void> {
  const { session, instance, all, yes } = options;
  const targets = [userName, instance, all].filter((one) => one !== undefined);
  if (targets.length !== 1 || (session !== undefined && userName === undefined)) {
    throw new CommandError(
      "Name exactly one: an account (and one of its sessions with --session), --instance or --all",
      exitCodes.usage,
    );
  }
  if (all && !yes && !(await confirm(terminal, "End all sessions of all accounts?"))) {
    throw new CommandError("Nothing was changed. Use --yes to end all sessions of all accounts.");
  }
  await withAdminContext(options.config, terminal, async (context) => {
    let target: Target = "all";
    if (instance !== undefined) target = { instanceId: instance };
    else if (userName !== undefined) target = await findTarget(context, userName, session);
    const ended = await context.administration.revoke(target, "revoked", Date.now());
    terminal.out(`${countOf(ended, "session ended", "sessions ended")}.\n`);
  });
}

/** Accepts only a session of the account, so that a wrong digit does not end that of another one. */
async function findTarget(
  context: AdminContext,
  userName: string,
  sessionId: bigint | undefined,
): Promise<Target> {
  const { recordId } = await requireAccount(context, userName);
  if (sessionId === undefined) return { recordId };
  const sessions = await context.administration.listSessions(recordId, Date.now());
  if (sessions.some(({ id }) => id === sessionId)) return { sessionId };
  throw new CommandError(
    `${toPrintable(userName)} has no session ${sessionId}. See which there are: wfh accounts sessions ${toShellWord(userName)}`,
    exitCodes.no,
  );
}
