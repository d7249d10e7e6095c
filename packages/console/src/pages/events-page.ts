import { formatCount, toPrintable } from "@wfh/server/lib/printable.ts";
import { html } from "@wfh/server/metadata/markup.ts";
import { type AnyTable, dataTable, exportedMax, listedMax } from "./data-table.ts";
import { linkTo, renderNotice } from "./layout.ts";
import {
  choiceOf,
  describeForm,
  formOptions,
  namesOf,
  type PageContent,
  type PageContext,
  readForm,
  readPeriodOrUsual,
  renderFormField,
  renderPeriodHeading,
} from "./page-context.ts";
import type { EventSearch, ShownEvent } from "./page-queries.ts";
import { toInstants } from "./time-section.ts";
import { formatIn, readZone, renderZoneField, type Zone } from "./zone.ts";

/** Events on a page that also has other tables or filters; all of them are one click away. */
const eventsShown = 50;

/** Names of events that operators look for first; others can be typed. */
const eventNames = [
  "logged-in",
  "log-in-refused",
  "auto-logged-in",
  "auto-log-in-refused",
  "account-blocked",
  "network-blocked",
  "token-reused",
  "logged-out",
  "session-ended",
  "password-set",
  "account-added",
  "account-changed",
  "account-disabled",
  "account-enabled",
  "account-removed",
  "form-changed",
  "page-requests-deleted",
  "operator-logged-in",
  "operator-log-in-refused",
  "operator-request-refused",
  "operator-exported",
];

/** The events of log-ins, sessions, accounts and operators. */
export async function eventsPage(context: PageContext): Promise<PageContent> {
  const { deps, signedIn, asked } = context;
  const { period, notice } = readPeriodOrUsual(context);
  const zone = readZone(context);
  const form = await readForm(context, "form");
  const name = asked.get("event") || null;
  const seesAccounts = signedIn.operator.forms === null;
  const account = (seesAccounts && asked.get("account")?.trim()) || "";
  const { administration } = await deps.open();
  const [forms, found] = await Promise.all([
    administration.listForms(),
    account === "" ? null : administration.findAccount(account),
  ]);
  const names = namesOf(forms, signedIn);
  const isUnknown = account !== "" && found === null;
  const events = isUnknown
    ? []
    : await readEvents(context, {
        ...toInstants(period.span),
        name,
        recordId: found?.recordId ?? null,
        forms: choiceOf(form, signedIn),
      });
  const table = eventTable(context, events, zone, names);
  const options = [["all", "All forms"], ...formOptions(names, [])] as const;
  const fields = html`<label>Event <select name="event"><option value="">All events</option>${eventNames.map((one) => html`<option value="${one}"${one === name && html` selected`}>${one}</option>`)}</select></label>
    ${seesAccounts && html`<label>Account <input name="account" value="${account}" placeholder="user name" spellcheck="false"></label>`}
    ${renderFormField("form", form ?? "all", options)}${renderZoneField(zone)}`;
  const main = html`${renderPeriodHeading(html`<h1>Events</h1>`, context, period, fields)}${notice}${zone.notice}
    ${isUnknown && renderNotice("warning", `There is no account ${account}.`, "Search for it on the page Accounts.")}
    ${table.render()}`;
  return { title: "Events", main, tables: [table], headers: zone.headers };
}

/** Reads the latest events of a search; more of them for an export. */
export async function readEvents(
  { deps, asked, signedIn }: PageContext,
  search: Omit<EventSearch, "max">,
): Promise<readonly ShownEvent[]> {
  const { pages } = await deps.open();
  const max = asked.get("csv") === null ? listedMax : exportedMax;
  const events = await pages.listEvents({ ...search, max });
  if (signedIn.operator.forms === null) return events;
  // Accounts are of all forms.
  return events.map((event) => ({ ...event, accountId: null, userName: null, network: null }));
}

/** Events as a table, the latest first. */
export function eventTable(
  { asked, path }: PageContext,
  events: readonly ShownEvent[],
  zone: Zone,
  names: ReadonlyMap<string, string> = new Map(),
): AnyTable {
  const format = formatIn(zone);
  return dataTable(
    {
      id: "events",
      title: "Events",
      columns: [
        {
          id: "at",
          title: `Time (${zone.name})`,
          value: ({ atMs }) => format(atMs),
          show: ({ atMs }) => html`<span class="whole">${format(atMs)}</span>`,
        },
        { id: "event", title: "Event", value: ({ name }) => name },
        { id: "reason", title: "Reason", value: ({ reason }) => reason },
        {
          id: "account",
          title: "Account",
          value: ({ userName, accountId }) =>
            userName ?? (accountId === null ? null : String(accountId)),
          show: ({ userName, accountId }) =>
            userName === null || accountId === null
              ? undefined
              : html`<a href="${linkTo("account", path)}?id=${String(accountId)}">${toPrintable(userName)}</a>`,
        },
        { id: "operator", title: "Operator", value: ({ operator }) => operator },
        { id: "network", title: "Network", value: ({ network }) => network },
        {
          id: "form",
          title: "Form",
          value: ({ formId }) => (formId === null ? null : describeForm(String(formId), names)),
        },
      ],
      rows: events,
      max: eventsShown,
      note:
        events.length === listedMax &&
        `The latest ${listedMax} of these days; CSV has up to ${formatCount(exportedMax)}.`,
      empty: html`No events in these days. Log-ins, refusals and changes of accounts are recorded by themselves; the same list is <code class="anywhere">wfh accounts events</code>.`,
    },
    asked,
  );
}
