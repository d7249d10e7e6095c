import { toPrintable } from "@wfh/server/lib/printable.ts";
import { html, textOf } from "@wfh/server/metadata/markup.ts";
import type { NumberedPageRequest } from "@wfh/server/store/admin/page-request-reader.ts";

/** Longest text of a cell, in UTF-16 units before invisible characters are escaped. */
const cellMax = 300;

/** Titles of the columns after that of the arrival. */
export const liveColumns = ["Form", "Page", "Step", "Referrer"] as const;

/** A page request as all live views show it. */
export interface LiveRow {
  readonly id: bigint;
  /** ID of the form in digits; `""` without one. */
  readonly form: string;
  /** A row of a table, in HTML on one line. */
  readonly html: string;
}

/** Renders a page request, once for all views: the script writes its time in the zone of each. */
export function toLiveRow(stored: NumberedPageRequest): LiveRow {
  const { id, formId, arrivedAtMs, pageUrl, kind, step, referrer } = stored;
  const form = String(formId ?? "");
  const instant = new Date(arrivedAtMs).toISOString();
  const steps = [kind, step].filter((text) => text !== null).join(": ");
  const row = html`<tr><td><time datetime="${instant}"></time></td><td>${form === "" ? "none" : html`<a href="../operator?form=${form}">${form}</a>`}</td><td>${toCell(pageUrl)}</td><td>${toCell(steps)}</td><td>${toCell(referrer)}</td></tr>`;
  return { id, form, html: textOf(row) };
}

/** Cuts a text to what a cell holds; line ends are escaped as all invisible characters are. */
function toCell(text: string | null): string {
  if (text === null || text.length <= cellMax) return toPrintable(text ?? "");
  return `${toPrintable(text.slice(0, cellMax))}…`;
}

/** The row that stands for page requests which a view left out. */
export const leftOutRow = textOf(
  html`<tr><td colspan="${1 + liveColumns.length}">More page requests arrived than a view shows. Older ones were left out here.</td></tr>`,
);
