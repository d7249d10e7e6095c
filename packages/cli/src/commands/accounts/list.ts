import type { ListedAccount } from "@wfh/server/domain/log-in/accounts/administration.ts";
import type { Session } from "@wfh/server/domain/log-in/sessions/session.ts";
import { formatCount, renderJsonLine } from "@wfh/server/lib/printable.ts";
import { parseHashForm } from "@wfh/server/secrets/hash-record.ts";
import type { LegacyStep } from "@wfh/server/secrets/legacy-digest.ts";
import { legacyLogInForm } from "@wfh/server/secrets/legacy-log-in.ts";
import { type AdminContext, administer } from "../../io/admin-context.ts";
import type { DeclareCommand, SharedOptions } from "../../io/command.ts";
import { formatInstant } from "../../io/options.ts";
import { printRecords } from "../../io/report.ts";
import { requireAccount } from "./access.ts";

/** `wfh accounts list`. */
export const declareList: DeclareCommand = (group) =>
  group
    .command("list")
    .description("List all accounts")
    .jsonPer("account")
    .shared("config")
    .run(administer(list));

async function list({ administration, terminal }: AdminContext, options: SharedOptions) {
  const listed = readAccounts(administration);
  if (options.json) {
    for await (const account of listed) terminal.out(renderJsonLine(toAccountRecord(account)));
    return;
  }
  printRecords(terminal, options, await Array.fromAsync(listed, toAccountRecord), {
    none: "There are no accounts yet. Add one: wfh accounts add <name>",
    columns: [
      ["Record", ({ recordId }) => String(recordId)],
      ["Contact", ({ contactId }) => String(contactId)],
      ["User name", ({ userName }) => userName],
      ["State", ({ isEnabled }) => (isEnabled ? "enabled" : "disabled")],
      ["Password", ({ hashForm }) => describeHashForm(hashForm)],
      ["Last log-in", ({ lastLogInAt }) => lastLogInAt ?? "never"],
      ["Sessions", ({ sessions }) => String(sessions)],
    ],
  });
}

async function* readAccounts(
  administration: AdminContext["administration"],
): AsyncGenerator<ListedAccount> {
  let after: bigint | null = null;
  do {
    const page: readonly ListedAccount[] = await administration.listAccounts(after, Date.now());
    yield* page;
    after = page.at(-1)?.recordId ?? null;
  } while (after !== null);
}

/** Everything but the hash. */
function toAccountRecord(account: ListedAccount) {
  const { recordId, contactId, userName, isEnabled, hashForm, sessions } = account;
  const { createdAtMs, lastLogInAtMs } = account;
  const createdAt = formatInstant(createdAtMs);
  const lastLogInAt = lastLogInAtMs === null ? null : formatInstant(lastLogInAtMs);
  const identity = { recordId, contactId, userName, isEnabled, hashForm };
  return { ...identity, createdAt, lastLogInAt, sessions };
}

/** Describes for people how a password is stored. */
function describeHashForm(text: string): string {
  if (text === legacyLogInForm) return "verified by the old server at the first log-in";
  const form = parseHashForm(text);
  if (form === null) return "unknown, no log-in possible";
  if (form.legacy === null) return "Argon2id";
  return `${describeLegacy(form.legacy)}, upgraded at the next log-in`;
}

function describeLegacy(step: LegacyStep): string {
  switch (step.scheme) {
    case "pbkdf2":
      return `ASP.NET Identity (${step.hash.toUpperCase()}, ${formatCount(step.iterations)} rounds)`;
    case "membership":
      return `ASP.NET Membership (${step.hash.toUpperCase()})`;
    case "bcrypt":
      return `bcrypt (cost ${step.cost})`;
  }
}

/** `wfh accounts sessions`. */
export const declareSessions: DeclareCommand = (group) =>
  group
    .command("sessions")
    .description("List the active sessions of an account")
    .argument("<name>", "user name")
    .jsonPer("session")
    .shared("config")
    .run(administer(listSessions));

async function listSessions(context: AdminContext, userName: string, options: SharedOptions) {
  const { recordId } = await requireAccount(context, userName);
  const sessions = await context.administration.listSessions(recordId, Date.now());
  printRecords(context.terminal, options, sessions.map(toSessionRecord), {
    none: "There are no sessions.",
    columns: [
      ["Session", ({ id }) => String(id)],
      ["Since", ({ createdAt }) => createdAt],
      ["Last used", ({ usedAt }) => usedAt],
      ["Instance", ({ applicationInstanceId: id }) => String(id ?? "none yet")],
      ["Browser", ({ browser }) => browser ?? "unknown"],
      ["Origin", ({ origin }) => origin ?? "no page"],
      ["Ends", ({ endsAt }) => endsAt],
    ],
  });
}

/** Everything but the secrets of a session. */
function toSessionRecord(session: Session) {
  return {
    id: session.id,
    createdAt: formatInstant(session.createdAtMs),
    usedAt: formatInstant(session.usedAtMs),
    applicationInstanceId: session.instanceId,
    browser: session.browser,
    origin: session.origin,
    remembering: session.remembering,
    // Unless it is used before.
    endsAt: formatInstant(Math.min(session.idleUntilMs, session.absoluteUntilMs)),
  };
}

interface EventsOptions extends SharedOptions {
  /** User name; without it events of all accounts, and of unknown names. */
  readonly account?: string;
  /** UTC in milliseconds; inclusive. */
  readonly from?: number;
  readonly max: number;
}

/** `wfh accounts events`. */
export const declareEvents: DeclareCommand = (group) =>
  group
    .command("events")
    .description("List events such as log-ins, refusals and changes, newest last")
    .option("--account <name>", "events of one account")
    .instant("--from <time>", "start: day (2026-11-21, UTC) or time with zone")
    .max("number of newest events to list", 100)
    .jsonPer("event")
    .shared("config")
    .run(administer(listEvents));

async function listEvents(context: AdminContext, { account, ...options }: EventsOptions) {
  const recordId = account === undefined ? null : (await requireAccount(context, account)).recordId;
  const filter = { recordId, fromMs: options.from ?? null, max: options.max };
  const events = await context.administration.listEvents(filter);
  const records = events.map((event) => ({
    id: event.id,
    at: formatInstant(event.atMs),
    event: event.name,
    reason: event.reason,
    recordId: event.accountId,
    sessionId: event.sessionId,
    network: event.network,
    formId: event.formId,
    applicationInstanceId: event.instanceId,
    requestId: event.requestId,
    operator: event.operator,
  }));
  const show = (value: bigint | string | null) => String(value ?? "-");
  printRecords(context.terminal, options, records, {
    none: "There are no events.",
    columns: [
      ["Time", ({ at }) => at],
      ["Event", ({ event }) => event],
      ["Reason", ({ reason }) => show(reason)],
      ["Record", ({ recordId: id }) => show(id)],
      ["Session", ({ sessionId }) => show(sessionId)],
      ["Network", ({ network }) => show(network)],
      ["Form", ({ formId }) => show(formId)],
      ["Instance", ({ applicationInstanceId: id }) => show(id)],
      ["Request", ({ requestId }) => show(requestId)],
      ["Operator", ({ operator }) => show(operator)],
    ],
  });
}
