import type { InputValues } from "@wfh/server/codec/parts.ts";
import { Fault } from "@wfh/server/fault.ts";
import type { RequestContext, RunOperation } from "@wfh/server/server/http/app.ts";
import { StoreError } from "@wfh/server/store/store-error.ts";
import type { Access } from "../access/access.ts";
import {
  allForms,
  noForm,
  operationOf,
  type ReportName,
  reportNames,
  reportWords,
  rowsMax,
} from "./report-resources.ts";
import { formatDay, readSpan } from "./report-span.ts";
import { type FormChoice, listCounted, type ReportSpan } from "./report-types.ts";
import { type Reports, ReportsLateError } from "./reports.ts";

/** Seconds after which a report that was late may be there. */
const lateRetryS = 60;

/** A report as REST and commands return it: its values under the name of their column. */
export interface Report {
  readonly from: string;
  readonly to: string;
  readonly total: number;
  readonly rows: readonly Readonly<Record<string, string | number | null>>[];
}

/** Page requests that a report counts, and its most rows beside that of all others. */
export interface ReportChoice {
  readonly span: ReportSpan;
  readonly forms: FormChoice;
  readonly max: number;
}

/** Reads a report; rejects as {@link Reports} does. */
export async function readReport(
  reports: Reports,
  name: ReportName,
  { span, forms, max }: ReportChoice,
): Promise<Report> {
  const { column } = reportWords[name];
  const counted = await reports.values(name, span, forms, max);
  const rows = listCounted(counted).map(({ value, count }) => ({
    [column]: value || null,
    pageRequests: count,
  }));
  const { total } = counted;
  return { from: formatDay(span.fromDay), to: formatDay(span.toDay), total, rows };
}

/** Collaborators of the resources of reports. */
export interface ReportsApiDeps {
  readonly reports: Reports;
  readonly access: Pick<Access, "findToken" | "checkForm" | "record">;
  /** Milliseconds since 1970 UTC. */
  now(): number;
}

/** Creates the code behind the resources of reports, by the names of their operations. */
export function createReportsApi(deps: ReportsApiDeps): ReadonlyMap<string, RunOperation> {
  const entries = reportNames.map((name): [string, RunOperation] => [
    operationOf(name),
    (input, context) => respondWithReport(name, input, context, deps),
  ]);
  return new Map(entries);
}

async function respondWithReport(
  name: ReportName,
  input: InputValues,
  context: RequestContext,
  { reports, access, now }: ReportsApiDeps,
): Promise<Report> {
  try {
    const grant = await access.findToken(context.request);
    const { from, to, form, format } = input as {
      readonly from: string | null;
      readonly to: string | null;
      readonly form: readonly string[] | null;
      readonly format: "json" | "csv" | null;
    };
    const span = readSpan({ from, to }, now());
    for (const asked of form ?? []) {
      if (asked !== allForms) await access.checkForm(context.request, grant, toValue(asked));
    }
    const forms = chooseForms(form, grant.forms);
    const report = await readReport(reports, name, { span, forms, max: rowsMax });
    if (format === "csv") {
      await access.record("operator-exported", grant, context.request, { reason: name });
    }
    return report;
  } catch (cause) {
    if (cause instanceof ReportsLateError) context.retryAfter(lateRetryS);
    if (!(cause instanceof StoreError)) throw cause;
    throw new Fault("unavailable", "The database of the reports does not respond.", { cause });
  }
}

/**
 * Chooses the forms that are counted.
 *
 * @param asked IDs in digits, each of them allowed; null for all that are allowed.
 */
function chooseForms(asked: readonly string[] | null, allowed: FormChoice): FormChoice {
  if (asked === null || asked.includes(allForms)) return allowed;
  return [...new Set(asked.map(toValue))];
}

/** The form as rollups have it. */
function toValue(form: string): string {
  return form === noForm ? "" : form;
}
