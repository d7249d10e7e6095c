import type { CountryDifference } from "../../../gazetteer/import/compare-artifacts.ts";
import type { RegionChange } from "../../../gazetteer/import/custom/compare-custom-places.ts";
import type { CustomReport } from "../../../gazetteer/import/custom/import-custom-places.ts";
import type { CustomTableError } from "../../../gazetteer/import/custom/problems.ts";
import { renderJsonLine, toPrintable } from "../../io/printable.ts";
import { renderTable } from "../../io/table.ts";
import { renderCountryTable, renderExamples } from "./country-table.ts";
import type { ImportOutcome } from "./run-import.ts";

/** Changes of ids and names that are shown without `--all`: what fits on a screen with what is around it. */
const identitiesMax = 20;

/** How an import is told. */
interface ReportOptions {
  readonly dryRun?: boolean;
  readonly all?: boolean;
}

/** What came of an import, for people. */
export function renderCustomImport(
  { report, difference, after, file }: ImportOutcome<CustomReport>,
  { dryRun, all = false }: ReportOptions,
): string {
  const title = dryRun
    ? `Nothing was written. This import would make of ${file}:`
    : `Imported into ${file}:`;
  const answers = difference.filter(({ added, removed, changed }) => added + removed + changed > 0);
  const examples = dryRun ? renderExamples(report.difference, all) : [];
  return [
    `${title}\n\n${renderRows(report.difference, after.facts.customPostalCodesByCountry, all)}`,
    renderIdentities(report.identities, all),
    renderAnswers(answers),
    examples.length === 0 ? "" : `For example:\n${examples.join("\n")}\n`,
    ...renderRemarks(report),
  ]
    .filter((part) => part !== "")
    .join("\n");
}

function renderRows(
  difference: readonly CountryDifference[],
  counts: Readonly<Record<string, number>>,
  showsAll: boolean,
): string {
  if (difference.length === 0) return "No custom postal codes, before or after.\n";
  const headings = ["Custom codes", "Added", "Removed", "Changed"];
  const rows = difference.map(({ code, added, removed, changed }) => ({
    name: code,
    numbers: [counts[code] ?? 0, added, removed, changed],
  }));
  return renderCountryTable(headings, rows, showsAll);
}

function renderIdentities(changes: readonly RegionChange[], showsAll: boolean): string {
  if (changes.length === 0) return "";
  const shown = showsAll ? changes : changes.slice(0, identitiesMax);
  const rows = shown.map(({ kind, label, before, after }) => [
    `${kind} ${label}`,
    ...[before, after].map(showIdentity),
  ]);
  const more = changes.length - shown.length;
  const rest = more > 0 ? `and ${more} more (--all shows them)\n` : "";
  const cells = [["Ids and names", "Before", "After"], ...rows];
  return renderTable(cells.map((row) => row.map(toPrintable))) + rest;
}

function showIdentity(identity: RegionChange["before"]): string {
  if (identity === null) return "none";
  const { id, name, alias, active } = identity;
  const parts = [String(id), name, ...(alias === undefined ? [] : [alias])];
  return [...parts, ...(active ? [] : ["not active"])].join(", ");
}

function renderAnswers(answers: ImportOutcome<CustomReport>["difference"]): string {
  if (answers.length === 0) return "No look-up changes.\n";
  const parts = answers.map(
    ({ code, added, removed, changed }) =>
      `${code} ${count(added + removed + changed)} (${count(added)} new, ${count(removed)} gone)`,
  );
  return `Look-ups that change: ${parts.join(", ")}\n`;
}

function count(codes: number): string {
  return codes.toLocaleString("en-US");
}

function renderRemarks({ inactive, repeated, shortZips }: CustomReport): readonly string[] {
  const remarks: string[] = [];
  if (inactive > 0) remarks.push(`${inactive} rows are not active, and are not returned.\n`);
  if (repeated > 0) remarks.push(`${repeated} rows say the same as an earlier one.\n`);
  const { count, firstLine } = shortZips;
  if (count > 0) {
    remarks.push(
      `Warning: ${count} codes of US have fewer than five digits, the first on line ${firstLine}: did a spreadsheet remove leading zeros? Format the column as text.\n`,
    );
  }
  return remarks;
}

/** The same as one line of JSON. */
export function renderCustomImportJson(
  { report, difference, file }: ImportOutcome<CustomReport>,
  { dryRun = false }: ReportOptions,
): string {
  const answers = difference.filter(({ added, removed, changed }) => added + removed + changed > 0);
  return renderJsonLine({
    dryRun,
    file,
    places: report.places,
    inactive: report.inactive,
    repeated: report.repeated,
    shortZips: report.shortZips.count,
    ownCodes: report.difference.map(withExamples),
    identities: report.identities.map(({ kind, label, before, after }) => ({
      kind,
      label,
      before: before === null ? null : { ...before },
      after: after === null ? null : { ...after },
    })),
    answers: answers.map(withExamples),
  });
}

function withExamples(difference: CountryDifference) {
  return { ...difference, examples: difference.examples.map((example) => ({ ...example })) };
}

/** What is wrong with a table, a line for each problem. */
export function renderProblems({ source, problems, problemCount }: CustomTableError): string {
  const lines = problems.map(({ line, message }) => `${source}, line ${line}: ${message}`);
  const more = problemCount - problems.length;
  const rest = more > 0 ? `and ${more.toLocaleString("en-US")} more\n` : "";
  return `${lines.map((line) => `${toPrintable(line)}\n`).join("")}${rest}`;
}

/** The same as one line of JSON. */
export function renderProblemsJson({ source, problems, problemCount }: CustomTableError): string {
  return renderJsonLine({
    source,
    problemCount,
    problems: problems.map((problem) => ({ ...problem })),
  });
}
