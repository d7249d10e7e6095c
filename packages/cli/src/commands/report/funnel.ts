import { noForm } from "@wfh/console/reports/report-resources.ts";
import { formatDay } from "@wfh/console/reports/report-span.ts";
import { type Funnel, type FunnelStep, sessionRule } from "@wfh/console/reports/report-types.ts";
import type { Command, DeclareCommand } from "../../io/command.ts";
import { formatShare, renderBar, type Section } from "../../io/report.ts";
import {
  addSpanOptions,
  parseForm,
  type ReportOptions,
  runReport,
  shortenValue,
} from "./report-options.ts";

/** `wfh report funnel`. */
export const declareFunnel: DeclareCommand = (group) => {
  const command = group
    .command("funnel")
    .description("Show how many visitors of a form reached each of its steps")
    .addHelpText("after", `\n${group.createHelp().boxWrap(sessionRule, 80)}`)
    .argument("<form>", `ID of the form, or ${noForm}`, (text) => parseForm("form", text));
  addSpanOptions(command).run((form: string, options: ReportOptions, { terminal }: Command) =>
    runReport(options, terminal, {
      read: async (reports, span) => {
        const { steps, ...counts } = await reports.funnel(span, form);
        return {
          form: form || null,
          from: formatDay(span.fromDay),
          to: formatDay(span.toDay),
          ...counts,
          steps: steps.map(({ name: step, ...reached }) => ({ step, ...reached })),
        };
      },
      describe: describeFunnel,
      columns: ["step", "reached", "share", "goesOn"],
      rowsOf: ({ steps }) => steps,
    }),
  );
};

/** A funnel as `--json` prints it. */
interface FunnelData extends Omit<Funnel, "steps"> {
  /** In digits; null for none. */
  readonly form: string | null;
  readonly from: string;
  readonly to: string;
  readonly steps: readonly (Omit<FunnelStep, "name"> & { readonly step: string })[];
}

function describeFunnel(data: FunnelData): readonly Section[] {
  const { form, from, to, countedBy, withoutSession, steps } = data;
  const of = form === null ? "without a form" : `of the form ${form}`;
  const span = `from ${from} to ${to} (UTC)`;
  const [first] = steps;
  if (first === undefined) return [`There are no page requests ${of} ${span}.`];
  const isBySession = countedBy === "sessions";
  const left = `Page requests without a session are not counted: ${withoutSession}.`;
  const noSession = "Counted by page requests: none of them belongs to a session.";
  return [
    {
      title: `Steps ${of}, ${span}`,
      header: [isBySession ? "Sessions" : "Page requests", "Share", "Go on", "", "Step"],
      rows: steps.map(({ step, reached, share, goesOn }) => [
        reached,
        formatShare(share),
        goesOn === null ? "" : formatShare(goesOn),
        renderBar(Math.min(share, 1)),
        shortenValue(step),
      ]),
      note: `\n${isBySession ? left : noSession}`,
    },
  ];
}
