import { formatDay } from "@wfh/console/reports/report-span.ts";
import type { Funnel, ReportSpan } from "@wfh/console/reports/report-types.ts";
import type { Command, DeclareCommand } from "../../io/command.ts";
import { parseId } from "../../io/options.ts";
import { formatShare, printReport, renderBar, type Section } from "../../io/report.ts";
import {
  addSpanOptions,
  printCsv,
  type ReportOptions,
  readSpanOptions,
  withReports,
} from "./report-options.ts";

/** `wfh report funnel`. */
export const declareFunnel: DeclareCommand = (group) => {
  const command = group
    .command("funnel")
    .description("Show how many visitors of a form reached each of its steps")
    .argument("<form>", "ID of the form", (text) => parseId("form", text));
  addSpanOptions(command).run((form: bigint, options: ReportOptions, { terminal }: Command) =>
    withReports(options, terminal, async (reports) => {
      const span = readSpanOptions(options);
      const data = toFunnelData(form, span, await reports.funnel(span, String(form)));
      if (!options.csv) printReport(terminal, options, data, describeFunnel);
      else printCsv(terminal, ["step", "reached", "share", "goesOn"], data.steps);
    }),
  );
};

/** The funnel as `--json` prints it. */
function toFunnelData(form: bigint, { fromDay, toDay }: ReportSpan, funnel: Funnel) {
  const { countedBy, sessions, withoutSession, steps } = funnel;
  return {
    form: String(form),
    from: formatDay(fromDay),
    to: formatDay(toDay),
    countedBy,
    sessions,
    withoutSession,
    steps: steps.map(({ name, reached, share, goesOn }) => ({
      step: name,
      reached,
      share,
      goesOn,
    })),
  };
}

const counted = { sessions: "Sessions", "page-requests": "Page requests" } as const;

function describeFunnel(data: ReturnType<typeof toFunnelData>): readonly Section[] {
  const { form, from, to, countedBy, withoutSession, steps } = data;
  const span = `from ${from} to ${to} (UTC)`;
  if (steps.length === 0) return [`There are no page requests of the form ${form} ${span}.`];
  const most = Math.max(...steps.map(({ reached }) => reached));
  const left = `Page requests without a session are not counted: ${withoutSession}.`;
  const noSession = "Counted by page requests: none of them belongs to a session.";
  return [
    {
      title: `Steps of the form ${form}, ${span}`,
      header: [counted[countedBy], "Share", "Go on", "", "Step"],
      rows: steps.map(({ step, reached, share, goesOn }) => [
        reached,
        formatShare(share),
        goesOn === null ? "" : formatShare(goesOn),
        renderBar(reached / most),
        step,
      ]),
      note: `\n${countedBy === "sessions" ? left : noSession}`,
    },
  ];
}
