import type { Form } from "@wfh/server/domain/log-in/form.ts";
import { countOf, formatCount, toPrintable } from "@wfh/server/lib/printable.ts";
import { html, type Markup } from "@wfh/server/metadata/markup.ts";
import { renderShareBar } from "../charts/bar-chart.ts";
import { reportWords } from "../reports/report-resources.ts";
import type { CountedValue, Funnel } from "../reports/report-types.ts";
import {
  type AnyTable,
  countColumns,
  dataTable,
  exportedMax,
  formatPercent,
  listedMax,
  shownMax,
} from "./data-table.ts";
import { linkTo, renderEmpty } from "./layout.ts";
import {
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
import type { Period } from "./period.ts";
import { timeSection } from "./time-section.ts";

/** Reports of a form beside its funnel, with their titles. */
const reportTitles = {
  pages: ["Pages", "Page"],
  referrers: ["Referrers", "Referrer"],
  devices: ["Devices", "Device"],
  "log-ins": ["Log-ins", "Visitor"],
  kinds: ["Kinds", "Kind"],
  bots: ["Robots", "Sender"],
} as const;

type ReportName = keyof typeof reportTitles;

/** The page of one form; without an ID the list of all. */
export async function formPage(context: PageContext): Promise<PageContent> {
  const id = await readForm(context, "id");
  const { period, notice } = readPeriodOrUsual(context);
  const { deps, signedIn } = context;
  const { administration } = await deps.open();
  const [list, counts] = await Promise.all([
    administration.listForms(),
    deps.reports.forms(period.span, signedIn.operator.forms),
  ]);
  const names = namesOf(list, signedIn);
  if (id === null) return formList(context, period, { list, counts, names, notice });
  const options = formOptions(names, counts);
  const isListed = options.some(([one]) => one === id);
  const all = isListed ? options : [[id, describeForm(id, names)] as const, ...options];
  const field = renderFormField("id", id, all);
  const [time, funnel, tables] = await Promise.all([
    timeSection(context, period, [id]),
    deps.reports.funnel(period.span, id),
    Promise.all(
      Object.keys(reportTitles).map((report) =>
        reportTable(context, period, { report: report as ReportName, form: id }),
      ),
    ),
  ]);
  const steps = funnelTable(context, funnel);
  const title = id === "" ? "Page requests without a form" : describeForm(id, names);
  const main = html`${renderPeriodHeading(html`<h1>${title}</h1>`, context, period, field)}${notice}
    ${time.total === 0 && renderEmpty(html`No page requests of this form in these days. Its pages log themselves with one script tag:`, `<script defer src="${deps.config.baseUrl ?? "https://forms.example.org"}/wfh.js" data-form="${id || "12"}" data-instance="3"></script>`)}
    ${time.total > 0 && html`${time.markup}${renderFunnel(funnel, steps)}<div class="pair">${tables.map((table) => table.render())}</div>`}`;
  return { title, main, tables: [time.table, steps, ...tables] };
}

async function reportTable(
  { deps, asked }: PageContext,
  { span }: Period,
  { report, form }: { readonly report: ReportName; readonly form: string },
): Promise<AnyTable> {
  const max = asked.get("csv") === report ? exportedMax : listedMax;
  const { values, other, total } = await deps.reports.values(report, span, [form], max);
  const [title, column] = reportTitles[report];
  return dataTable(
    {
      id: report,
      title,
      columns: countColumns(
        {
          id: reportWords[report].column,
          title: column,
          value: ({ value }: CountedValue) => value,
          show: ({ value }) => html`<span class="anywhere">${describeValue(report, value)}</span>`,
        },
        values,
        total,
      ),
      rows: values,
      note:
        other > 0 &&
        `${formatCount(other)} page requests have other values than the first ${formatCount(max)}.`,
      empty: "None in these days.",
      max: shownMax,
      isWide: report === "pages",
    },
    asked,
  );
}

/** Share that goes on below which a step is marked. */
const lowShare = 0.6;

/** Values that are not given, for people. */
const missing: Readonly<Record<ReportName, string>> = {
  pages: "no address",
  referrers: "no referrer",
  devices: "unknown",
  "log-ins": "unknown",
  kinds: "no kind",
  bots: "unknown",
};

/** Values that programs get in one word, for people. */
const words: Readonly<Record<string, string>> = {
  "logged-in": "logged in",
  "not-logged-in": "not logged in",
  bot: "robots",
  browser: "browsers",
};

function describeValue(report: ReportName, value: string) {
  if (value === "") return html`<em>${missing[report]}</em>`;
  if (report === "pages") return toPrintable(value.replace(/^https:\/\//, ""));
  const isWord = report === "log-ins" || report === "bots";
  return isWord ? (words[value] ?? value) : toPrintable(value);
}

function funnelTable({ asked }: PageContext, { steps, countedBy }: Funnel): AnyTable {
  const unit = countedBy === "sessions" ? "Sessions" : "Page requests";
  return dataTable(
    {
      id: "funnel",
      title: "Numbers of the funnel",
      columns: [
        { id: "order", title: "Order", value: ({ order }) => order },
        { id: "step", title: "Step", value: ({ name }) => name },
        { id: "reached", title: unit, value: ({ reached }) => reached },
        {
          id: "share",
          title: "Of the first step",
          value: ({ share }) => share,
          show: ({ share }) => formatPercent(share),
        },
        {
          id: "goesOn",
          title: "Go on to the next",
          value: ({ goesOn }) => goesOn,
          show: ({ goesOn }) => (goesOn === null ? "" : formatPercent(goesOn)),
        },
      ],
      rows: steps.map((step, index) => ({ ...step, order: index + 1 })),
      empty: "There are no steps.",
      isFolded: true,
    },
    asked,
  );
}

/** The funnel of a form: each step, and the share that goes on from it. */
function renderFunnel({ steps, countedBy, withoutSession }: Funnel, table: AnyTable): Markup {
  if (steps.length < 2) {
    return html`<section class="table" id="steps" aria-labelledby="steps-title"><h2 id="steps-title">Funnel</h2>${renderEmpty("Where visitors stop shows once the page requests of a form name their steps. Log one where a step is shown:", `wfh.logPageRequest({ kind: "step", step: "address" });`)}</section>`;
  }
  const items = steps.map((step) => {
    const { name, reached, share, goesOn } = step;
    return html`<li><b>${toPrintable(name)}</b>${renderShareBar(share)}<span class="number">${formatCount(reached)}</span><span class="number dim">${formatPercent(share)}</span>${goesOn !== null && html`<p class="goes-on${goesOn < lowShare && " low"}">${formatPercent(goesOn)} go on</p>`}</li>`;
  });
  const by =
    countedBy === "sessions"
      ? html`Counted by session: each session once a step, on the day of its first page request.${withoutSession > 0 && ` ${countOf(withoutSession, "page request has", "page requests have")} no session and ${withoutSession === 1 ? "is" : "are"} not in it.`}`
      : "Counted by page request, as no page request of these days has a session: a visitor who loads a step twice counts twice.";
  return html`<section class="table" id="steps" aria-labelledby="steps-title"><h2 id="steps-title">Funnel</h2><p class="note">${by}</p>
    <ol class="funnel">${items}</ol>${table.render()}</section>`;
}

interface FormList {
  readonly list: readonly Form[];
  readonly counts: readonly CountedValue[];
  readonly names: FormNames;
  readonly notice: Markup | false;
}

/** All forms that are declared or have page requests in the period. */
function formList(context: PageContext, period: Period, given: FormList): PageContent {
  const { list, counts, names, notice } = given;
  const { asked, path } = context;
  const byId = new Map(list.map((form) => [String(form.id), form]));
  const countById = new Map(counts.map(({ value, count }) => [value, count]));
  const rows = formOptions(names, counts).map(([id, name]) => ({
    id,
    name,
    count: countById.get(id) ?? 0,
    form: byId.get(id),
  }));
  const kept = new URLSearchParams(
    [...asked].filter(([name]) => ["period", "from", "to"].includes(name)),
  );
  const table = dataTable(
    {
      id: "forms",
      title: "All forms",
      columns: [
        {
          id: "name",
          title: "Form",
          value: ({ name }) => name,
          show: ({ id, name }) =>
            html`<a href="${linkTo("form", path)}?${String(new URLSearchParams([["id", id], ...kept]))}">${name}</a>`,
        },
        { id: "id", title: "ID", value: ({ id }) => id },
        { id: "pageRequests", title: "Page requests", value: ({ count }) => count },
        {
          id: "instance",
          title: "Instance",
          value: ({ form }) => (form === undefined ? null : String(form.instance.id)),
        },
        {
          id: "remembering",
          title: "Remembers log-ins",
          value: ({ form }) => (form === undefined ? null : form.instance.remembering),
        },
        {
          id: "origins",
          title: "Origins of its pages",
          value: ({ form }) => (form === undefined ? null : form.origins.join(" ")),
        },
      ],
      rows,
      note: html`Forms are declared on the server: <code>wfh forms add</code>. Others appear with their first page request.`,
      empty: html`No form is declared, and none has page requests in these days. Declare one: <code class="anywhere">wfh forms add --help</code>`,
    },
    asked,
  );
  const main = html`${renderPeriodHeading(html`<h1>Forms</h1>`, context, period)}${notice}${table.render()}`;
  return { title: "Forms", main, tables: [table] };
}
