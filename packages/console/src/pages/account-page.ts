import type { ListedAccount } from "@wfh/server/domain/log-in/accounts/administration.ts";
import type { Session } from "@wfh/server/domain/log-in/sessions/session.ts";
import { countOf, toPrintable } from "@wfh/server/lib/printable.ts";
import { html, type Markup } from "@wfh/server/metadata/markup.ts";
import { attemptKeysOf } from "@wfh/server/secrets/tokens.ts";
import { csrfField } from "../access/access.ts";
import { type AnyTable, dataTable } from "./data-table.ts";
import { eventTable, readEvents } from "./events-page.ts";
import { linkTo, type PageContent, renderNotice } from "./layout.ts";
import {
  type PageContext,
  PageRefusal,
  parseInt64,
  readDeclaredForms,
  renderFilter,
} from "./page-context.ts";
import { renderZoneField, timeColumn } from "./zone.ts";

/** Days of events that the page of an account shows. */
const eventDays = 400;

/** An action on an account, which is confirmed on a page of its own. */
interface AccountAction {
  readonly title: string;
  /** Question and consequence, for the page that confirms it. */
  readonly question: (name: string) => string;
  readonly done: string;
  readonly isPossible: (account: ListedAccount) => boolean;
}

const actions = {
  disable: {
    title: "Disable",
    question: (name) => `Disable ${name}? Log-ins are refused, and all sessions end at once.`,
    done: "The account is disabled, and its sessions have ended.",
    isPossible: ({ isEnabled }) => isEnabled,
  },
  enable: {
    title: "Enable",
    question: (name) =>
      `Enable ${name}? Log-ins are possible again with the same password, and failed attempts are forgotten.`,
    done: "The account is enabled.",
    isPossible: ({ isEnabled }) => !isEnabled,
  },
  "end-sessions": {
    title: "End all sessions",
    question: (name) =>
      `End all sessions of ${name}? The visitor has to log in again on each device.`,
    done: "All sessions of the account have ended.",
    isPossible: ({ sessions }) => sessions > 0,
  },
} as const satisfies Record<string, AccountAction>;

type ActionName = keyof typeof actions;

function findAction(name: string | null): ActionName | null {
  return name !== null && Object.hasOwn(actions, name) ? (name as ActionName) : null;
}

/** The page of one account; with an action in its query, the page that confirms it. */
export async function accountPage(context: PageContext): Promise<PageContent> {
  const { deps, asked, nowMs, zone } = context;
  const account = await requireAccount(context);
  const action = findAction(asked.get("action"));
  if (action !== null) return confirmPage(context, account, action);
  const { administration } = await deps.open();
  const [declared, sessions, events] = await Promise.all([
    readDeclaredForms(context),
    administration.listSessions(account.recordId, nowMs),
    readEvents(context, {
      fromMs: nowMs - eventDays * 86_400_000,
      recordId: account.recordId,
    }),
  ]);
  const tables = [sessionTable(context, sessions), eventTable(context, events, declared)];
  const done = findAction(asked.get("done"));
  const fields = html`<input type="hidden" name="id" value="${String(account.recordId)}">${renderZoneField(zone)}`;
  const main = html`<div class="heading"><h1 class="anywhere">${toPrintable(account.userName)}</h1>${renderFilter(fields)}</div>
    ${done !== null && renderNotice("done", actions[done].done)}
    ${renderFacts(context, account)}${renderActions(context, account)}
    ${tables.map((table) => table.render())}`;
  return { title: toPrintable(account.userName), main, tables };
}

/** Carries out an action that its page has confirmed. */
export async function changeAccount(
  context: PageContext,
  fields: ReadonlyMap<string, string>,
): Promise<string> {
  const { deps, signedIn, nowMs, path } = context;
  const action = findAction(fields.get("action") ?? null);
  if (action === null) {
    throw new PageRefusal(400, "There is no such action.", "Use the buttons of the page.");
  }
  const account = await requireAccount(context);
  const { recordId, userName } = account;
  if (!actions[action].isPossible(account)) {
    const fix = "Open the page of the account again: it shows its state and what can be done.";
    throw new PageRefusal(409, "The account is in that state already.", fix);
  }
  const { administration } = await deps.open();
  const { name } = signedIn.operator;
  if (action === "end-sessions") {
    await administration.revoke({ recordId }, "revoked", nowMs, name);
  } else {
    await administration.setEnabled(recordId, action === "enable", nowMs, name);
  }
  if (action === "enable") {
    const keys = attemptKeysOf(deps.secretKeys, userName);
    await administration.forgetAttempts(keys, recordId, nowMs, name);
  }
  return `${linkTo("account", path)}?id=${recordId}&done=${action}`;
}

/** Finds the account of a page for operators of all forms. */
async function requireAccount(context: PageContext): Promise<ListedAccount> {
  const { deps, request, signedIn, asked, nowMs } = context;
  await deps.access.checkForm(request, signedIn.operator, null);
  const id = parseInt64(asked.get("id") ?? "");
  const { pages } = await deps.open();
  const account = id === null ? null : await pages.findAccountById(id, nowMs);
  if (account !== null) return account;
  throw new PageRefusal(
    404,
    "There is no account with that record ID.",
    "Search for it by name on the page Accounts.",
  );
}

function confirmPage(
  { signedIn, path }: PageContext,
  account: ListedAccount,
  action: ActionName,
): PageContent {
  const { title, question } = actions[action];
  const own = `${linkTo("account", path)}?id=${account.recordId}`;
  const main = html`<div class="confirm"><h1>${title}</h1><p class="lead">${question(toPrintable(account.userName))}</p>
    <p class="note">It is recorded with your name, ${signedIn.operator.name}.</p>
    <form method="post" action="${own}"><input type="hidden" name="${csrfField}" value="${signedIn.csrfToken}"><input type="hidden" name="action" value="${action}"><button type="submit" class="send">${title}</button> <a href="${own}">Cancel</a></form></div>`;
  return { title, main };
}

function renderFacts({ zone }: PageContext, account: ListedAccount): Markup {
  const { recordId, contactId, isEnabled, createdAtMs, lastLogInAtMs } = account;
  return html`<dl class="facts"><dt>State</dt><dd>${isEnabled ? "enabled" : html`<b class="mark warning">disabled</b>`}</dd>
    <dt>Record ID</dt><dd>${String(recordId)}</dd><dt>Contact ID</dt><dd>${String(contactId)}</dd>
    <dt>Created</dt><dd>${zone.format(createdAtMs)} (${zone.name})</dd>
    <dt>Last log-in</dt><dd>${lastLogInAtMs === null ? "never" : `${zone.format(lastLogInAtMs)} (${zone.name})`}</dd></dl>`;
}

function renderActions({ signedIn, path }: PageContext, account: ListedAccount): Markup {
  if (signedIn.operator.role !== "operator") {
    return html`<p class="note">The role viewer may not change anything.</p>`;
  }
  const possible = Object.entries<AccountAction>(actions).filter(([, { isPossible }]) =>
    isPossible(account),
  );
  return html`<ul class="actions">${possible.map(([name, { title }]) => html`<li><a class="button" href="${linkTo("account", path)}?id=${String(account.recordId)}&amp;action=${name}">${title}</a></li>`)}</ul>`;
}

function sessionTable({ asked, zone }: PageContext, sessions: readonly Session[]): AnyTable {
  return dataTable<Session>(
    {
      id: "sessions",
      title: countOf(sessions.length, "session"),
      columns: [
        { id: "id", title: "Session", value: ({ id }) => id },
        timeColumn(zone, { id: "since", title: "Since" }, ({ createdAtMs }) => createdAtMs),
        timeColumn(zone, { id: "used", title: "Last used" }, ({ usedAtMs }) => usedAtMs),
        { id: "browser", title: "Browser", value: ({ browser }) => browser ?? "unknown" },
        { id: "origin", title: "Origin", value: ({ origin }) => origin ?? "no page" },
        { id: "instance", title: "Instance", value: ({ instanceId }) => instanceId },
        timeColumn(zone, { id: "ends", title: "Ends" }, ({ idleUntilMs, absoluteUntilMs }) =>
          Math.min(idleUntilMs, absoluteUntilMs),
        ),
      ],
      rows: sessions,
      empty: "The account is logged in nowhere.",
    },
    asked,
  );
}
