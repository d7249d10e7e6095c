import {
  type ReportName,
  reportNames,
  reportWords,
  rowsMax,
} from "@wfh/console/reports/report-resources.ts";
import { type Report, readReport } from "@wfh/console/reports/reports-api.ts";
import { formatCount } from "@wfh/server/lib/printable.ts";
import type { Command, DeclareCommand } from "../../io/command.ts";
import { parseCount } from "../../io/options.ts";
import { formatShare, renderBar, type Section } from "../../io/report.ts";
import { declareFunnel } from "./funnel.ts";
import {
  addSpanOptions,
  collectForm,
  type ReportOptions,
  runReport,
  shortenValue,
} from "./report-options.ts";

const help = `
Examples:
  wfh report days                           page requests of each of the last 30 days
  wfh report pages --form 12                the most frequent pages of a form
  wfh report referrers --from 2026-11-01 --to 2026-11-30
                                            where the visitors of November came from
  wfh report forms --csv > forms.csv        a table for a spreadsheet
  wfh report funnel 12                      where visitors of a form stop

Days are days of UTC. Every report first counts what has arrived since the last one.
`;

/** `wfh report`. */
export const declareCommand: DeclareCommand = (group) => {
  group.addHelpText("after", help);
  for (const name of reportNames) declareReport(group, name);
  declareFunnel(group);
};

/** Rows that a table for people has: what fits on a screen. */
const shownMax = 20;

interface CountOptions extends ReportOptions {
  /** IDs in digits; "" stands for none. */
  readonly form?: readonly string[];
  readonly max?: number;
}

function declareReport(group: Command, name: ReportName): void {
  const command = group
    .command(name)
    .description(`Count page requests by ${reportWords[name].by}`)
    .option("--form <id...>", "only page requests of these forms, or none", collectForm);
  if (name !== "days") {
    const lengths = `${shownMax}, and ${rowsMax} with --json and --csv`;
    command.value("--max <n>", `number of rows (default: ${lengths})`, parseCount);
  }
  addSpanOptions(command).run((options: CountOptions, { terminal }: Command) => {
    const { json, csv, form: forms = null } = options;
    const { max = json || csv ? rowsMax : shownMax } = options;
    return runReport(options, terminal, {
      read: (reports, span) => readReport(reports, name, { span, forms, max }),
      describe: (report) => describeReport(name, report),
      columns: [reportWords[name].column, "pageRequests"],
      rowsOf: ({ rows }) => rows,
    });
  });
}

function describeReport(name: ReportName, { from, to, total, rows }: Report): readonly Section[] {
  const span = `from ${from} to ${to} (UTC)`;
  if (total === 0) return [`There are no page requests ${span}.`];
  const { column, by } = reportWords[name];
  const counts = rows.map((row) => Number(row["pageRequests"]));
  const most = Math.max(...counts);
  const heading = column.replace(/([A-Z])/g, " $1").toLowerCase();
  return [
    {
      title: `Page requests by ${by}, ${span}`,
      header: ["Page requests", "Share", "", heading.charAt(0).toUpperCase() + heading.slice(1)],
      rows: counts.map((count, i) => [
        count,
        formatShare(count / total),
        renderBar(count / most),
        shortenValue(String(rows[i]?.[column] ?? "not given")),
      ]),
      note: `\nPage requests in all: ${formatCount(total)}`,
    },
  ];
}
