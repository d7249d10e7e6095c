import type { Session } from "../../../domain/log-in/sessions/session.ts";
import { type AdminContext, withAdminContext } from "../../admin-context.ts";
import { CommandError, exitCodes } from "../../exit-codes.ts";
import { formatInstant, parseId } from "../../io/options.ts";
import { renderJsonLine, toPrintable, toShellWord } from "../../io/printable.ts";
import { renderTable } from "../../io/table.ts";
import { confirm, type Terminal } from "../../io/terminal.ts";
import { countEnded } from "./change.ts";
import { findKnownAccount } from "./known-account.ts";

/** Options of `accounts sessions`. */
export interface ListSessionsOptions {
  readonly json?: boolean;
  readonly config?: string;
}

/**
 * Prints the sessions of an account that have neither ended nor run out: a table, or with `json` one line for each.
 * Resolves to the exit code.
 *
 * @throws {CommandError} when there is no such account.
 */
export async function listSessions(
  userName: string,
  options: ListSessionsOptions,
  console: Terminal,
): Promise<number> {
  await withAdminContext(options.config, console, async ({ administration }) => {
    const { recordId } = await findKnownAccount(administration, userName);
    const sessions = await administration.listSessions(recordId, Date.now());
    console.out(options.json ? sessions.map(renderJson).join("") : renderSessions(sessions));
  });
  return exitCodes.done;
}

function renderSessions(sessions: readonly Session[]): string {
  if (sessions.length === 0) return "There are no sessions.\n";
  const heading = ["Session", "Since", "Last used", "Instance", "Browser", "Origin", "Ends"];
  return renderTable([heading, ...sessions.map(rowOf)]);
}

function rowOf(session: Session): readonly string[] {
  return [
    String(session.id),
    formatInstant(session.createdAtMs),
    formatInstant(session.usedAtMs),
    session.instanceId === null ? "none yet" : String(session.instanceId),
    toPrintable(session.browser ?? "unknown"),
    toPrintable(session.origin ?? "no page"),
    formatInstant(endOf(session)),
  ];
}

/** When it ends if nobody uses it any more. */
function endOf({ idleUntilMs, absoluteUntilMs }: Session): number {
  return Math.min(idleUntilMs, absoluteUntilMs);
}

/** What a session tells, without anything that it is proved by. */
function renderJson(session: Session): string {
  return renderJsonLine({
    id: session.id,
    createdAt: formatInstant(session.createdAtMs),
    usedAt: formatInstant(session.usedAtMs),
    applicationInstanceId: session.instanceId,
    browser: session.browser,
    origin: session.origin,
    remembering: session.remembering,
    endsAt: formatInstant(endOf(session)),
  });
}

/** Options of `accounts revoke`. */
export interface RevokeOptions {
  readonly session?: string;
  readonly instance?: string;
  readonly all?: boolean;
  /** Consent to `all` where nobody can be asked. */
  readonly yes?: boolean;
  readonly config?: string;
}

/**
 * Ends sessions: of one account, one of them, of an application instance, or all there are. Resolves to the exit code.
 *
 * @throws {CommandError} when it is not clear which, or there is no such account or session.
 */
export async function revokeSessions(
  userName: string | undefined,
  options: RevokeOptions,
  console: Terminal,
): Promise<number> {
  requireOneTarget(userName, options);
  const sessionId = options.session === undefined ? null : parseId("--session", options.session);
  const instanceId =
    options.instance === undefined ? null : parseId("--instance", options.instance);
  if (options.all) await requireConsent(options, console);
  await withAdminContext(options.config, console, async (office) => {
    const { administration } = office;
    let which: Target = "all";
    if (instanceId !== null) which = { instanceId };
    else if (userName !== undefined) which = await findTarget(office, userName, sessionId);
    const ended = await administration.revoke(which, "revoked", Date.now());
    console.out(`${countEnded(ended)}.\n`);
  });
  return exitCodes.done;
}

type Target = Parameters<AdminContext["administration"]["revoke"]>[0];

/** A session is looked for among those of the account, so that a wrong digit ends nobody else's. */
async function findTarget(
  { administration }: AdminContext,
  userName: string,
  sessionId: bigint | null,
): Promise<Target> {
  const { recordId } = await findKnownAccount(administration, userName);
  if (sessionId === null) return { recordId };
  const sessions = await administration.listSessions(recordId, Date.now());
  if (sessions.some(({ id }) => id === sessionId)) return { sessionId };
  throw new CommandError(
    `${toPrintable(userName)} has no session ${sessionId}. See which there are: wfh accounts sessions ${toShellWord(userName)}`,
    exitCodes.no,
  );
}

function requireOneTarget(userName: string | undefined, options: RevokeOptions): void {
  const targets = [userName, options.instance, options.all].filter((one) => one !== undefined);
  const isSessionOfNobody = options.session !== undefined && userName === undefined;
  if (targets.length === 1 && !isSessionOfNobody) return;
  throw new CommandError(
    "Name exactly one: an account (and one of its sessions with --session), --instance or --all",
    exitCodes.usage,
  );
}

async function requireConsent({ yes }: RevokeOptions, console: Terminal): Promise<void> {
  if (yes) return;
  if (await confirm(console, "End all sessions of all accounts?")) return;
  throw new CommandError("Nothing was changed. Say --yes to end all sessions of all accounts.");
}
