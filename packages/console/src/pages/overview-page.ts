import { countOf, formatCount } from "@wfh/server/lib/printable.ts";
import { type Content, html, type Markup } from "@wfh/server/metadata/markup.ts";
import { type Bar, renderBarChart } from "../charts/bar-chart.ts";
import { formatDay } from "../reports/report-span.ts";
import type { CountedValue, ReportSpan } from "../reports/report-types.ts";
import { type AnyTable, countColumns, dataTable, formatPercent } from "./data-table.ts";
import { type HealthSummary, renderHealth, summarizeHealth } from "./health-section.ts";
import { linkTo, renderEmpty } from "./layout.ts";
import {
  choiceOf,
  describeForm,
  type FormNames,
  formOptions,
  namesOf,
  type PageContent,
  type PageContext,
  readForm,
  readPeriodOrUsual,
  renderFormField,
  renderPeriodHeading,
} from "./page-context.ts";
import type { CountedEvents } from "./page-queries.ts";
import { dayMs, describeDay, periodNames } from "./period.ts";
import { barsByHourOfDay, compareToday, rateToday, todayWindowDays } from "./time-chart.ts";
import { timeSection, toInstants } from "./time-section.ts";

/** Events that are counted as log-ins and refusals, by what they are counted as. */
const logInEvents = {
  "logged-in": "password",
  "auto-logged-in": "automatic",
  "log-in-refused": "refused",
  "account-blocked": "blocked",
  "network-blocked": "blocked",
} as const;

type LogInCount = (typeof logInEvents)[keyof typeof logInEvents];

/** The overview: today, the period, forms, log-ins and the server. */
export async function overviewPage(context: PageContext): Promise<PageContent> {
  const { deps, signedIn, nowMs } = context;
  const { period, notice } = readPeriodOrUsual(context);
  const form = await readForm(context, "form");
  const choice = choiceOf(form, signedIn);
  const { reports } = deps;
  const { pages, administration } = await deps.open();
  const today = Math.floor(nowMs / dayMs);
  const recent = { fromDay: today - todayWindowDays + 1, toDay: today };
  const countLogIns = (span: ReportSpan) =>
    pages.countEvents({ ...toInstants(span), forms: choice }, Object.keys(logInEvents));
  const [time, recentHours, hours, counts, events, todayEvents, list, health] = await Promise.all([
    timeSection(context, period, choice),
    reports.hours(recent, choice),
    reports.hours(period.span, choice),
    reports.forms(period.span, signedIn.operator.forms),
    countLogIns(period.span),
    countLogIns({ fromDay: today, toDay: today }),
    administration.listForms(),
    deps.health.latest(),
  ]);
  const names = namesOf(list, signedIn);
  const hourBars = barsByHourOfDay(byHour(hours));
  const hoursOfDay = hourTable(context, hourBars);
  const logIns = logInTable(context, events);
  const forms = formTable(context, counts, names);
  const options = [["all", "All forms"], ...formOptions(names, counts)] as const;
  const field = renderFormField("form", form ?? "all", options);
  const isEmpty = time.total === 0 && recentHours.length === 0;
  const title = form === null ? "Overview" : `Overview of ${describeForm(form, names)}`;
  const heading = html`<h2>${period.name === null ? "Chosen days" : `Last ${periodNames[period.name]}`}</h2>`;
  // First what is asked for first; the period chooses what follows.
  const main = html`<h1>${title}</h1>
    <div class="today">${renderToday(byHour(recentHours), nowMs)}
    ${renderLogIns(todayEvents)}
    ${renderServer(summarizeHealth(deps, health))}</div>
    ${renderPeriodHeading(heading, context, period, field)}${notice}
    ${
      isEmpty
        ? renderFirstSteps(context)
        : html`${time.markup}
    <div class="pair">${forms.render()}
    <section class="table" aria-labelledby="hours-title"><h2 id="hours-title">By hour of the day (UTC)</h2>${renderBarChart(hourChart(hourBars))}${hoursOfDay.render()}</section></div>`
    }
    <div class="pair">${logIns.render()}${await renderHealth(deps)}</div>`;
  return { title, main, tables: [time.table, forms, logIns, hoursOfDay] };
}

function byHour(hours: readonly { readonly hour: number; readonly count: number }[]) {
  return new Map(hours.map(({ hour, count }) => [hour, count]));
}

function hourChart(bars: readonly Bar[]) {
  const most = bars.reduce((a, b) => (b.count > a.count ? b : a));
  const summary = `Page requests by hour of the day; the most from ${most.label}`;
  return { summary, names: { bars: "Page requests", line: "" }, bars };
}

function hourTable({ asked }: PageContext, bars: readonly Bar[]): AnyTable {
  return dataTable(
    {
      id: "hours",
      title: "Numbers by hour of the day",
      columns: [
        { id: "hour", title: "Hour", value: ({ time }) => time, show: ({ label }) => label },
        { id: "pageRequests", title: "Page requests", value: ({ count }) => count },
      ],
      rows: bars,
      empty: "There are no numbers.",
      isFolded: true,
    },
    asked,
  );
}

/** The number of today, and whether it is usual. */
function renderToday(hours: ReadonlyMap<number, number>, nowMs: number): Markup {
  const today = compareToday(hours, nowMs);
  const { count, usual, comparedWith } = today;
  const rating = rateToday(today);
  const change = usual === null || usual === 0 ? "" : formatPercent(Math.abs(count / usual - 1));
  const ratings = {
    usual: "As usual",
    more: `${change} more than usual`,
    fewer: `${change} fewer than usual`,
    unknown: "",
  };
  const time = new Date(nowMs).toISOString().slice(11, 16);
  const note =
    usual === null
      ? "What is usual shows after a day."
      : `By ${time} UTC it is usually ${formatCount(Math.round(usual))} (${comparedWith}).`;
  return renderCard("Page requests today", formatCount(count), {
    mark: rating !== "unknown" && {
      level: rating === "fewer" ? "warning" : "ok",
      text: ratings[rating],
    },
    note,
  });
}

function renderLogIns(events: readonly CountedEvents[]): Markup {
  const { password, automatic, refused, blocked } = sumLogIns(events);
  const all = refused + password;
  return renderCard("Log-ins today", formatCount(password + automatic), {
    mark: blocked > 0 && { level: "warning", text: `${formatCount(blocked)} blocked` },
    note: `${formatCount(refused)} refused${all > 0 && refused > 0 ? `, ${formatPercent(refused / all)} of those by password` : ""}.`,
  });
}

function renderServer({ level, text, detail }: HealthSummary): Markup {
  const note = html`${detail} <a href="#health">See the checks</a>`;
  const titles = { ok: "Well", warning: "Works", problem: "Trouble" };
  return renderCard("Server", titles[level], { mark: { level, text }, note });
}

interface CardFacts {
  readonly mark: false | { readonly level: HealthSummary["level"]; readonly text: string };
  readonly note: Content;
}

function renderCard(title: string, value: string, { mark, note }: CardFacts): Markup {
  return html`<section class="card"><h2>${title}</h2><p class="value">${value}</p>${mark !== false && html`<p class="mark ${mark.level}">${mark.text}</p>`}<p class="note">${note}</p></section>`;
}

function sumLogIns(events: readonly CountedEvents[]): Record<LogInCount, number> {
  const sums = { password: 0, automatic: 0, refused: 0, blocked: 0 };
  for (const { name, events: count } of events) {
    sums[logInEvents[name as keyof typeof logInEvents]] += count;
  }
  return sums;
}

function logInTable({ asked, signedIn }: PageContext, events: readonly CountedEvents[]): AnyTable {
  const days = [...Map.groupBy(events, ({ day }) => day)];
  const rows = days.map(([day, ofDay]) => ({ day, ...sumLogIns(ofDay) }));
  const isLimited = signedIn.operator.forms !== null;
  return dataTable(
    {
      id: "log-ins",
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
      note: isLimited && "Log-ins of your forms.",
      empty: html`No visitor has logged in or was refused in these days. A page logs visitors in with <code class="anywhere">wfh-log-in.js</code>.`,
      max: 7,
    },
    asked,
  );
}

function formTable(
  { asked, path }: PageContext,
  counts: readonly CountedValue[],
  names: FormNames,
): AnyTable {
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  return dataTable(
    {
      id: "forms",
      title: "By form",
      columns: countColumns(
        {
          id: "form",
          title: "Form",
          value: ({ value }) => describeForm(value, names),
          show: ({ value }) =>
            html`<a href="${linkTo("form", path)}${linkQuery(asked, value)}">${describeForm(value, names)}</a>${value !== "" && names.has(value) && html` <small>${value}</small>`}`,
        },
        counts,
        total,
      ),
      rows: counts,
      empty: "No page requests in these days.",
      max: 10,
    },
    asked,
  );
}

/** The query of a form's page, for the same period. */
function linkQuery(asked: URLSearchParams, form: string): string {
  const query = new URLSearchParams({ id: form });
  for (const name of ["period", "from", "to"]) {
    const value = asked.get(name);
    if (value !== null) query.set(name, value);
  }
  return `?${query}`;
}

/** First steps on a new server. */
function renderFirstSteps({ deps }: PageContext): Markup {
  const base = deps.config.baseUrl ?? "https://forms.example.org";
  return html`<section class="table first-steps" aria-labelledby="first"><h2 id="first">No page requests yet</h2>
    ${renderEmpty("A page logs itself with one script tag. Put it into the pages of your form, with the address of this server and the ID of the form:", `<script defer src="${base}/wfh.js" data-form="12" data-instance="3"></script>`)}
    ${renderEmpty("Or send one page request from a shell to see it here at once:", `curl -X POST ${base}/api/v1/page-requests -H 'Content-Type: application/json' -d '{"formId":"12","pageRequestUrl":"https://www.example.org/order","kind":"view"}'`)}
    ${renderEmpty("Page requests of the old server can be brought along:", "wfh page-requests import page-requests.csv")}
    <p class="note">${countOf(1, "page request")} is enough: charts, forms and funnels appear here with it.</p></section>`;
}
