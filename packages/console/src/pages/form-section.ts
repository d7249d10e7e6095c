import { countOf, formatCount, toPrintable } from "@wfh/server/lib/printable.ts";
import { html, type Markup } from "@wfh/server/metadata/markup.ts";
import { renderShareBar } from "../charts/bar-chart.ts";
import { reportWords } from "../reports/report-resources.ts";
import {
  type CountedValue,
  type Funnel,
  listCounted,
  type ReportSpan,
  sessionRule,
} from "../reports/report-types.ts";
import {
  type AnyTable,
  countColumns,
  dataTable,
  exportedMax,
  formatPercent,
  listedMax,
  shownMax,
} from "./data-table.ts";
import { renderEmpty } from "./layout.ts";
import type { PageContext } from "./page-context.ts";

/** Reports of a form beside its funnel: titles, and words for page requests without a value. */
const formReports = {
  pages: { title: "Pages", column: "Page", missing: "no address" },
  referrers: { title: "Referrers", column: "Referrer", missing: "no referrer" },
  devices: { title: "Devices", column: "Device", missing: "unknown" },
  "log-ins": { title: "Log-ins of visitors", column: "Visitor", missing: "unknown" },
  kinds: { title: "Kinds", column: "Kind", missing: "no kind" },
  bots: { title: "Robots", column: "Sender", missing: "unknown" },
} as const;

/** Reads where visitors of a form stop and come from, as tables and as a part of a page. */
export async function formSection(context: PageContext, span: ReportSpan, form: string) {
  const names = Object.keys(formReports) as (keyof typeof formReports)[];
  const [funnel, ...reports] = await Promise.all([
    context.deps.reports.funnel(span, form),
    ...names.map((name) => reportTable(context, span, name)),
  ]);
  const steps = funnelTable(context, funnel);
  const markup = html`${renderFunnel(funnel, steps)}<div class="pair">${reports.map((table) => table.render())}</div>`;
  return { markup, tables: [steps, ...reports] };
}

async function reportTable(
  { deps, asked, forms }: PageContext,
  span: ReportSpan,
  report: keyof typeof formReports,
): Promise<AnyTable> {
  const max = asked.get("csv") === report ? exportedMax : listedMax;
  const counted = await deps.reports.values(report, span, forms, max);
  const rows = listCounted(counted);
  const { title, column, missing } = formReports[report];
  const first = {
    id: reportWords[report].column,
    title: column,
    value: ({ value }: CountedValue) => value,
    show: ({ value }: CountedValue) =>
      value === ""
        ? html`<em>${missing}</em>`
        : html`<span class="anywhere">${toPrintable(value.replace(/^https:\/\//, ""))}</span>`,
  };
  return dataTable(
    {
      id: report,
      title,
      columns: countColumns(first, rows, counted.total),
      rows,
      empty: "None in these days.",
      max: shownMax,
      isWide: report === "pages",
    },
    asked,
  );
}

/** Share that goes on below which a step is marked. */
const lowShare = 0.6;

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
  const items = steps.map(
    ({ name, reached, share, goesOn }) =>
      html`<li><b>${toPrintable(name)}</b>${renderShareBar(share)}<span class="number">${formatCount(reached)}</span><span class="number dim">${formatPercent(share)}</span>${goesOn !== null && html`<p class="goes-on${goesOn < lowShare && " low"}">${formatPercent(goesOn)} go on</p>`}</li>`,
  );
  const by =
    countedBy === "sessions"
      ? html`Counted by session, each once a step. ${sessionRule}${withoutSession > 0 && ` ${countOf(withoutSession, "page request has", "page requests have")} no session and ${withoutSession === 1 ? "is" : "are"} not in it.`}`
      : "Counted by page request, as no page request of these days has a session: a visitor who loads a step twice counts twice.";
  const content =
    steps.length < 2
      ? renderEmpty(
          "Where visitors stop shows once the page requests of a form name their steps. Log one where a step is shown:",
          `wfh.logPageRequest({ kind: "step", step: "address" });`,
        )
      : html`<p class="note">${by}</p><ol class="funnel">${items}</ol>${table.render()}`;
  return html`<section class="table" id="steps" aria-labelledby="steps-title"><h2 id="steps-title">Funnel</h2>${content}</section>`;
}
