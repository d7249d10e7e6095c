import type {
  EventFilter,
  NumberedEvent,
} from "@wfh/server/domain/log-in/accounts/administration.ts";
import { logInEventNames } from "@wfh/server/domain/log-in/audit.ts";
import { formatCount, toPrintable } from "@wfh/server/lib/printable.ts";
import { html } from "@wfh/server/metadata/markup.ts";
import { dayMs } from "../reports/report-span.ts";
import type { FormChoice, ReportSpan } from "../reports/report-types.ts";
import { type AnyTable, dataTable, exportedMax, listedMax } from "./data-table.ts";
import { linkTo, type PageContent, renderNotice } from "./layout.ts";
import {
  type DeclaredForms,
  describeForm,
  type PageContext,
  readDeclaredForms,
  renderFormField,
  renderPeriodHeading,
} from "./page-context.ts";
import { readPeriod } from "./period.ts";
import { renderZoneField, timeColumn } from "./zone.ts";

/** Events on a page that also has other tables or filters; all of them are one click away. */
const eventsShown = 50;

/** The events of log-ins, sessions, accounts and operators. */
export async function eventsPage(context: PageContext): Promise<PageContent> {
  const { deps, asked, forms, nowMs, zone, signedIn } = context;
  const period = readPeriod(asked, nowMs);
  const name = asked.get("event") || null;
  const seesAccounts = signedIn.operator.forms === null;
  const account = (seesAccounts && asked.get("account")?.trim()) || "";
  const operator = asked.get("operator")?.trim() || null;
  const { administration } = await deps.open();
  const [declared, found] = await Promise.all([
    readDeclaredForms(context),
    account === "" ? null : administration.findAccount(account),
  ]);
  const isUnknown = account !== "" && found === null;
  const recordId = found?.recordId ?? null;
  const search = { ...toInstants(period.span), name, recordId, operator, forms: toIds(forms) };
  const table = eventTable(context, isUnknown ? [] : await readEvents(context, search), declared);
  const fields = html`<label>Event <select name="event"><option value="">All events</option>${logInEventNames.map((one) => html`<option value="${one}"${one === name && html` selected`}>${one}</option>`)}</select></label>
    ${seesAccounts && html`<label>Account <input name="account" value="${account}" placeholder="user name" spellcheck="false"></label>`}
    <label>Operator <input name="operator" value="${operator ?? ""}" spellcheck="false"></label>
    ${renderFormField(context, declared)}${renderZoneField(zone)}`;
  const main = html`${renderPeriodHeading(html`<h1>Events</h1>`, context, period, fields)}
    ${isUnknown && renderNotice("warning", `There is no account ${account}.`, "Search for it on the page Accounts.")}
    ${table.render()}`;
  return { title: "Events", main, tables: [table] };
}

/** The instants of a span, in UTC milliseconds, the end exclusive. */
export function toInstants({ fromDay, toDay }: ReportSpan) {
  return { fromMs: fromDay * dayMs, toMs: (toDay + 1) * dayMs };
}

/** Forms whose events an operator sees; those without a form are for operators of all forms. */
export function toIds(forms: FormChoice): readonly bigint[] | null {
  return forms?.filter((id) => id !== "").map(BigInt) ?? null;
}

/** An event, and the user name of its account where that still exists. */
type ShownEvent = NumberedEvent & { readonly userName: string | null };

/** Reads the latest events of a search, the latest first; more of them for an export. */
export async function readEvents(
  { deps, asked, signedIn }: PageContext,
  search: Omit<EventFilter, "max">,
): Promise<readonly ShownEvent[]> {
  const { administration, pages } = await deps.open();
  const max = asked.get("csv") === null ? listedMax : exportedMax;
  const events = (await administration.listEvents({ ...search, max })).toReversed();
  if (signedIn.operator.forms !== null) {
    // Accounts are of all forms.
    return events.map((event) => ({ ...event, accountId: null, userName: null, network: null }));
  }
  const ids = new Set(events.flatMap(({ accountId }) => (accountId === null ? [] : [accountId])));
  const names = await pages.findUserNames([...ids]);
  return events.map((event) => {
    const { accountId } = event;
    return { ...event, userName: (accountId !== null && names.get(accountId)) || null };
  });
}

/** Events as a table, the latest first. */
export function eventTable(
  { asked, path, zone }: PageContext,
  events: readonly ShownEvent[],
  declared: DeclaredForms,
): AnyTable {
  return dataTable<ShownEvent>(
    {
      id: "events",
      title: "Events",
      columns: [
        timeColumn(zone, { id: "at", title: "Time" }, ({ atMs }) => atMs),
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
          value: ({ formId }) => formId,
          show: ({ formId }) =>
            formId === null ? undefined : describeForm(String(formId), declared),
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
