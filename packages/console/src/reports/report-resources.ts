import { type Part, type RestApi, withExample } from "@wfh/server/contract/operation.ts";
import { otherValue } from "./report-types.ts";

/** Rows of a report with the most page requests; one more sums up all others. */
export const rowsMax = 500;
/** Most forms that one request names. */
const formsMax = 100;

const day = {
  type: "string",
  optional: true,
  pattern: "\\d{4}-\\d\\d-\\d\\d",
  form: "a day such as 2026-11-01",
} as const satisfies Part;

/** Word for page requests without a form. */
export const noForm = "none";
/** Word for all forms, as if none were named: dashboards have no empty choice. */
export const allForms = "all";

/** Parts of the request for a report. */
const input = {
  from: { ...day, meaning: "First day (UTC). Default: the 30 days until the last one." },
  to: { ...day, meaning: "Last day (UTC), included. Default: today." },
  form: {
    type: "string",
    optional: true,
    list: true,
    items: [1, formsMax],
    pattern: `(?:${allForms}|${noForm}|0|-?[1-9]\\d{0,18})`,
    form: `the ID of a form in digits, ${noForm} or ${allForms}`,
    meaning: `Only page requests of this form; ${noForm} for those without one. May be repeated. Default: ${allForms} forms of the token.`,
  },
  format: {
    type: "string",
    optional: true,
    values: ["json", "csv"],
    meaning: "csv for the rows alone, as a table. Default: json.",
  },
} as const satisfies Readonly<Record<string, Part>>;

const pageRequests = { type: "int", meaning: "Number of page requests." } as const satisfies Part;

/** Words of a report. */
interface ReportWords {
  /** Column of the values, after which the operation is named. */
  readonly column: string;
  /** Completes "Counts page requests by". */
  readonly by: string;
  readonly meaning: string;
  readonly examples: readonly string[];
}

const isNull = "Null where none was given.";
const isOther = `The row ${otherValue} has all that are rarer than the first ${rowsMax}. A value that reads like it has a backslash before it.`;

/** The reports, by the last segment of their paths. */
export const reportWords = {
  days: {
    column: "day",
    by: "day",
    meaning: "Day (UTC), as in 2026-11-01. Days without page requests are there too.",
    examples: ["2026-11-01", "2026-11-02"],
  },
  forms: {
    column: "form",
    by: "form",
    meaning: `ID of the form. ${isNull}`,
    examples: ["12", "7"],
  },
  pages: {
    column: "page",
    by: "page",
    meaning: `Address of the page, without query and fragment. ${isNull} ${isOther}`,
    examples: ["https://www.example.org/order", "https://www.example.org/contact"],
  },
  steps: {
    column: "step",
    by: "step of a form",
    meaning: `Step of the form. ${isNull} ${isOther}`,
    examples: ["address", "payment"],
  },
  referrers: {
    column: "referrer",
    by: "the host that visitors came from",
    meaning: `Host of the page before. ${isNull} ${isOther}`,
    examples: ["www.example.org", "news.example.com"],
  },
  devices: {
    column: "device",
    by: "kind of device",
    meaning: `phone, tablet or computer, by the width of the screen. ${isNull}`,
    examples: ["computer", "phone"],
  },
  "log-ins": {
    column: "logIn",
    by: "whether the visitor was logged in",
    meaning: "logged-in or not-logged-in. Null where it is not known.",
    examples: ["not-logged-in", "logged-in"],
  },
  kinds: {
    column: "kind",
    by: "kind, such as view or submit",
    meaning: `Kind of the page request. ${isNull} ${isOther}`,
    examples: ["view", "submit"],
  },
  instances: {
    column: "applicationInstance",
    by: "application instance",
    meaning: `ID of the application instance. ${isNull} ${isOther}`,
    examples: ["3", "4"],
  },
  bots: {
    column: "sender",
    by: "whether a bot sent them",
    meaning: "bot or browser, by the user agent. Null where none was given.",
    examples: ["browser", "bot"],
  },
} as const satisfies Readonly<Record<string, ReportWords>>;

/** Name of a report: the last segment of its path. */
export type ReportName = keyof typeof reportWords;

/** All reports, in the order of their pages. */
export const reportNames = Object.keys(reportWords) as readonly ReportName[];

/** A report by the value of one part of page requests, which has a table of its own. */
export type ValueReport = Exclude<ReportName, "days" | "forms">;

/** All of these reports. */
export const valueReports = reportNames.filter(
  (name): name is ValueReport => name !== "days" && name !== "forms",
);

const exampleCounts = [1_204, 311];

function titleOf({ column }: Pick<ReportWords, "column">): string {
  return column.charAt(0).toUpperCase() + column.slice(1);
}

/** Name of the operation of a report, such as `countByPage`. */
export function operationOf(name: ReportName): string {
  return `countBy${titleOf(reportWords[name])}`;
}

/** The resource of a report. */
function reportResource(name: ReportName) {
  const { column, by, meaning, examples }: ReportWords = reportWords[name];
  const value = { type: "string", nillable: name !== "days", meaning } as const satisfies Part;
  const from = { type: "string", meaning: "First day." } as const satisfies Part;
  const to = { type: "string", meaning: "Last day." } as const satisfies Part;
  const total = { type: "int", meaning: "Page requests of the span in all." } as const;
  const title = titleOf({ column });
  const row = { name: `${title}Count`, parts: { [column]: value, pageRequests } };
  const rows = {
    type: row,
    list: true,
    meaning: name === "days" ? "One for each day." : "The most frequent first.",
  } as const;
  const declared = {
    summary: `Counts page requests by ${by}.`,
    resource: { method: "GET", path: `reports/${name}`, table: "rows", tag: "Reports" },
    token: true,
    input,
    result: { name: `${title}Report`, parts: { from, to, total, rows } },
    outcome: { done: "Page requests: {total}" },
  } as const;
  const span = { from: "2026-11-01", to: "2026-11-02" };
  const example = {
    input: { ...span, form: ["12"], format: null },
    result: {
      ...span,
      total: exampleCounts.reduce((sum, count) => sum + count),
      rows: examples.map((text, i) => ({ [column]: text, pageRequests: exampleCounts[i] ?? 0 })),
    },
  };
  // The compiler does not know the name of the column.
  return withExample(declared, example as never);
}

/** The resources of all reports, which need a token (decision 0087). */
export const reportResources = {
  tags: { Reports: "Counts of page requests for analysts, with a token." },
  operations: Object.fromEntries(
    reportNames.map((name) => [operationOf(name), reportResource(name)]),
  ),
} as const satisfies Pick<RestApi, "tags" | "operations">;
