import type { Account } from "@wfh/server/domain/log-in/accounts/account.ts";
import { countOf, toPrintable, toShellWord } from "@wfh/server/lib/printable.ts";
import { attemptKeysOf } from "@wfh/server/secrets/tokens.ts";
import { keyFileOf } from "@wfh/server/server/settings/data-folder.ts";
import { type AdminContext, administer, withAdminContext } from "../../io/admin-context.ts";
import type { Command, DeclareCommand, SharedOptions } from "../../io/command.ts";
import { CommandError, exitCodes, unknownName } from "../../io/exit-codes.ts";
import { findConfiguredKeys } from "../../io/secret-keys.ts";
import { readSettings } from "../../io/settings.ts";
import { requireConsent } from "../../io/terminal.ts";

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
  throw unknownName("account", userName);
}

/** Counters of the attempts on a name, one for each key of the server; null without a key. */
export function findAttemptKeys(
  name: string,
  { config }: Pick<AdminContext, "config">,
  of: "account" | "operator" = "account",
) {
  const secretKeys = findConfiguredKeys(config);
  return secretKeys && attemptKeysOf(secretKeys, name, of);
}

/** Resets failed attempts of an account. Resolves to true if there were any, null without a key. */
export async function resetAttempts(
  account: Account,
  context: AdminContext,
): Promise<boolean | null> {
  const keys = findAttemptKeys(account.userName, context);
  const { administration } = context;
  const reset = await administration.forgetAttempts(keys ?? [], account.recordId, Date.now());
  return keys === null ? null : reset > 0;
}

/** `wfh accounts enable`. */
export const declareEnable: DeclareCommand = (accounts) =>
  accounts
    .command("enable")
    .description("Allow an account to log in again, and reset its failed attempts")
    .argument("<name>", "user name")
    .shared("config")
    .run(administer(enable));

async function enable(context: AdminContext, userName: string): Promise<void> {
  const account = await requireAccount(context, userName);
  await context.administration.setEnabled(account.recordId, true, Date.now());
  const wereReset = await resetAttempts(account, context);
  const attempts = wereReset ? "failed attempts were reset" : "there were no failed attempts";
  context.terminal.out(`Enabled ${toPrintable(account.userName)}; ${attempts}.\n`);
  if (wereReset === null) warnWithoutKey(context);
}

/** Warns that attempts on accounts may be counted under a key that is not there. */
export function warnWithoutKey({ config, terminal }: AdminContext): void {
  terminal.err(
    `There is no key file ${keyFileOf(config)}. If the server uses another one, failed attempts are counted under that key: set WFH_KEY_FILE or WFH_SECRET_KEYS as for the server.\n`,
  );
}

/** `wfh accounts disable`. */
export const declareDisable: DeclareCommand = (accounts) =>
  accounts
    .command("disable")
    .description("Refuse log-ins of an account, and end its sessions")
    .argument("<name>", "user name")
    .shared("config")
    .run(administer(disable));

async function disable(context: AdminContext, userName: string): Promise<void> {
  const { administration, terminal } = context;
  const { recordId, userName: name } = await requireAccount(context, userName);
  const sessions = await administration.listSessions(recordId, Date.now());
  await administration.setEnabled(recordId, false, Date.now());
  terminal.out(`Disabled ${toPrintable(name)}; ${countEnded(sessions.length)}.\n`);
}

/** Counts ended sessions, for people. */
export function countEnded(sessions: number): string {
  return countOf(sessions, "session ended", "sessions ended");
}

interface RevokeOptions extends Pick<SharedOptions, "config" | "yes"> {
  readonly session?: bigint;
  readonly instance?: bigint;
  readonly all?: boolean;
}

type Target = Parameters<AdminContext["administration"]["revoke"]>[0];

/** `wfh accounts revoke`. */
export const declareRevoke: DeclareCommand = (accounts) =>
  accounts
    .command("revoke")
    .description("End sessions of an account, an application instance or all accounts")
    .argument("[name]", "user name; ends all sessions of the account unless --session is given")
    .id("--session <id>", "one session of the account, as listed by wfh accounts sessions")
    .id("--instance <id>", "all sessions of an application instance")
    .option("--all", "all sessions of all accounts")
    .option("--yes", "do not ask for confirmation of --all")
    .shared("config")
    .run(revokeSessions);

async function revokeSessions(
  userName: string | undefined,
  options: RevokeOptions,
  { terminal }: Command,
): Promise<void> {
  const { session, instance, all } = options;
  const targets = [userName, instance, all].filter((one) => one !== undefined);
  if (targets.length !== 1 || (session !== undefined && userName === undefined)) {
    throw new CommandError(
      "Give exactly one of a user name (optionally with --session), --instance and --all",
      exitCodes.usage,
    );
  }
  if (all) await requireConsent(terminal, options, "end all sessions of all accounts");
  await withAdminContext(readSettings(options.config, terminal), terminal, async (context) => {
    let target: Target = "all";
    if (instance !== undefined) target = { instanceId: instance };
    else if (userName !== undefined) target = await findTarget(context, userName, session);
    const ended = await context.administration.revoke(target, "revoked", Date.now());
    terminal.out(`${countEnded(ended)}.\n`);
  });
}

/** Accepts only sessions of the account, so that a wrong digit does not end another one's. */
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
    `${toPrintable(userName)} has no session ${sessionId}. List the sessions: wfh accounts sessions ${toShellWord(userName)}`,
    exitCodes.no,
  );
}
