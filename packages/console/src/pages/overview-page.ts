import { formatCount } from "@wfh/server/lib/printable.ts";
import { html, type Markup } from "@wfh/server/metadata/markup.ts";
import { serverAddress } from "@wfh/server/server/pages/documents.ts";
import { dayMs, formatDay } from "../reports/report-span.ts";
import type { CountedValue } from "../reports/report-types.ts";
import {
  type AnyTable,
  countColumns,
  dataTable,
  exportedMax,
  formatPercent,
  shownMax,
  withQuery,
} from "./data-table.ts";
import { toIds, toInstants } from "./events-page.ts";
import { formSection } from "./form-section.ts";
import { renderHealth, renderHealthCard } from "./health-section.ts";
import { type PageContent, renderCard, renderEmpty } from "./layout.ts";
import {
  type DeclaredForms,
  describeForm,
  type PageContext,
  readDeclaredForms,
  renderFormField,
  renderPeriodHeading,
} from "./page-context.ts";
import type { CountedEvents } from "./page-queries.ts";
import { describeDay, offeredPeriods, readPeriod } from "./period.ts";
import { hourChart, timeChart } from "./time-chart.ts";

/** Events that are counted as log-ins and refusals, by what they are counted as. */
const logInEvents = {
  "logged-in": "password",
  "auto-logged-in": "automatic",
  "log-in-refused": "refused",
  "account-blocked": "blocked",
  "network-blocked": "blocked",
} as const;

/** Today, the period, log-ins and the server: of all forms, or of one with its funnel. */
export async function overviewPage(context: PageContext): Promise<PageContent> {
  const { deps, signedIn, nowMs, asked, form, forms: chosen } = context;
  const period = readPeriod(asked, nowMs);
  const { span, name } = period;
  const { pages } = await deps.open();
  const today = Math.floor(nowMs / dayMs);
  const readLogIns = (days: typeof span) =>
    pages.countEvents(toInstants(days), toIds(chosen), Object.keys(logInEvents));
  const [declared, time, hours, week, counts, logIns, logInsToday, server, health, section] =
    await Promise.all([
      readDeclaredForms(context),
      timeChart(context, period),
      hourChart(context, span),
      deps.reports.hours({ fromDay: today - 7, toDay: today }, chosen),
      deps.reports.values("forms", span, signedIn.operator.forms, exportedMax),
      readLogIns(span),
      readLogIns({ fromDay: today, toDay: today }),
      renderHealthCard(deps),
      renderHealth(deps),
      form === null ? null : formSection(context, span, form),
    ]);
  const forms = formTable(context, declared, counts.values);
  const logInDays = logInTable(context, logIns);
  const title =
    form === null
      ? "Overview"
      : form === ""
        ? "Page requests without a form"
        : describeForm(form, declared);
  const heading = html`<h2>${name === null ? "Chosen days" : `Last ${offeredPeriods[name][0]}`}</h2>`;
  const ids = counts.values.map(({ value }) => value);
  const isEmpty = time.total === 0 && (form !== null || week.length === 0);
  // First what is asked for first; the period chooses what follows.
  const main = html`<h1>${title}</h1>
    <div class="today">${renderToday(week, nowMs)}${renderLogIns(logInsToday)}${server}</div>
    ${renderPeriodHeading(heading, context, period, renderFormField(context, declared, ids))}
    ${isEmpty ? renderFirstSteps(context) : html`${time.markup}${section?.markup}`}
    ${form === null && forms.render()}
    <div class="pair">${logInDays.render()}${!isEmpty && hours.markup}</div>${health}`;
  const tables = [time.table, ...(section?.tables ?? [forms]), logInDays, hours.table];
  return { title, main, tables };
}

type HourCount = { readonly hour: number; readonly count: number };

/** The number of today; that of its full hours beside the same hours a week before. */
function renderToday(week: readonly HourCount[], nowMs: number): Markup {
  const midnight = 24 * Math.floor(nowMs / dayMs);
  const current = Math.floor(nowMs / 3_600_000);
  const sumOf = (from: number, to: number) =>
    week.reduce((sum, { hour, count }) => sum + (from <= hour && hour < to ? count : 0), 0);
  const until = new Date(current * 3_600_000).toISOString().slice(11, 16);
  const before = formatCount(sumOf(midnight - 7 * 24, current - 7 * 24));
  return renderCard({
    title: "Page requests today",
    value: formatCount(sumOf(midnight, Number.POSITIVE_INFINITY)),
    note: `Until ${until} UTC ${formatCount(sumOf(midnight, current))}; a week before ${before}.`,
  });
}

function renderLogIns(events: readonly CountedEvents[]): Markup {
  const { password, automatic, refused, blocked } = sumLogIns(events);
  const share =
    refused > 0 && `, ${formatPercent(refused / (refused + password))} of those by password`;
  return renderCard({
    title: "Log-ins today",
    value: formatCount(password + automatic),
    mark: blocked > 0 && { level: "warning", text: `${formatCount(blocked)} blocked` },
    note: html`${formatCount(refused)} refused${share}.`,
  });
}

function sumLogIns(events: readonly CountedEvents[]) {
  const sums = { password: 0, automatic: 0, refused: 0, blocked: 0 };
  for (const { name, events: count } of events) {
    sums[logInEvents[name as keyof typeof logInEvents]] += count;
  }
  return sums;
}

function logInTable({ asked, signedIn }: PageContext, events: readonly CountedEvents[]): AnyTable {
  const days = [...Map.groupBy(events, ({ day }) => day)];
  const rows = days.map(([day, ofDay]) => ({ day, ...sumLogIns(ofDay) }));
  return dataTable(
    {
      id: "log-in-days",
      title: "Log-ins by day (UTC)",
      columns: [
        {
          id: "day",
          title: "Day",
          value: ({ day }) => formatDay(day),
          show: ({ day }) => html`<span class="whole">${describeDay(day)}</span>`,
        },
        { id: "password", title: "By password", value: ({ password }) => password },
        { id: "automatic", title: "Automatic", value: ({ automatic }) => automatic },
        { id: "refused", title: "Refused", value: ({ refused }) => refused },
        { id: "blocked", title: "Blocked", value: ({ blocked }) => blocked },
      ],
      rows: rows.toSorted((a, b) => b.day - a.day),
      note: signedIn.operator.forms !== null && "Log-ins of your forms.",
      empty: html`No visitor has logged in or was refused in these days. A page logs visitors in with <code class="anywhere">wfh-log-in.js</code>.`,
      max: 7,
    },
    asked,
  );
}

/** All forms that are declared or have page requests in the period. */
function formTable(
  { asked }: PageContext,
  declared: DeclaredForms,
  counts: readonly CountedValue[],
): AnyTable {
  const counted = new Set(counts.map(({ value }) => value));
  const others = [...declared.keys()].filter((id) => !counted.has(id));
  const rows = [...counts, ...others.map((value) => ({ value, count: 0 }))];
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  const first = {
    id: "name",
    title: "Form",
    value: ({ value }: CountedValue) => describeForm(value, declared),
    show: ({ value }: CountedValue) =>
      html`<a class="anywhere" href="${withQuery(asked, { form: value, list: null, sort: null })}">${describeForm(value, declared)}</a>`,
  };
  return dataTable(
    {
      id: "forms",
      title: "Forms",
      columns: [
        ...countColumns(first, rows, total),
        { id: "form", title: "ID", value: ({ value }) => value },
        {
          id: "instance",
          title: "Instance",
          value: ({ value }) => String(declared.get(value)?.instance.id ?? ""),
        },
        {
          id: "remembering",
          title: "Remembers log-ins",
          value: ({ value }) => declared.get(value)?.instance.remembering ?? null,
        },
        {
          id: "origins",
          title: "Origins of its pages",
          value: ({ value }) => declared.get(value)?.origins.join(" ") ?? null,
        },
      ],
      rows,
      note: html`Forms are declared on the server: <code>wfh forms add</code>. Others appear with their first page request.`,
      empty: html`No form is declared, and none has page requests in these days. Declare one: <code class="anywhere">wfh forms add --help</code>`,
      max: shownMax,
    },
    asked,
  );
}

/** First steps on a new server, or of a new form. */
function renderFirstSteps({ deps, request, form }: PageContext): Markup {
  const base = serverAddress(request, deps.config, deps.proxies) ?? "https://forms.example.org";
  const id = form || "12";
  const title =
    form === null ? "No page requests yet" : "No page requests of this form in these days";
  return html`<section class="table" aria-labelledby="first"><h2 id="first">${title}</h2>
    ${renderEmpty("A page logs itself with one script tag. Put it into the pages of your form, with the address of this server and the ID of the form:", `<script defer src="${base}/wfh.js" data-form="${id}" data-instance="3"></script>`)}
    ${renderEmpty("Or send one page request from a shell to see it here at once:", `curl -X POST ${base}/api/v1/page-requests -H 'Content-Type: application/json' -d '{"formId":"${id}","pageRequestUrl":"https://www.example.org/order","kind":"view"}'`)}
    ${renderEmpty("Page requests of the old server can be brought along:", "wfh page-requests import page-requests.csv")}
    <p class="note">One page request is enough: charts, forms and funnels appear here with it.</p></section>`;
}
