import type { GazetteerFacts } from "../../../domain/location/gazetteer.ts";
import type { CountryDifference } from "../../../gazetteer/import/compare-artifacts.ts";
import type {
  BadLines,
  CountryReport,
  GeoNamesReport,
} from "../../../gazetteer/import/geonames/report.ts";
import { renderJsonLine, toPrintable } from "../../io/printable.ts";
import { renderCountryTable, renderExamples } from "./country-table.ts";

/** What is told of an import of postal files. */
export interface ImportReport {
  readonly report: GeoNamesReport;
  readonly difference: readonly CountryDifference[];
  /** Of the artifact after the import. */
  readonly facts: Pick<GazetteerFacts, "dataDate" | "postalCodesByCountry">;
  /** Where it was written, or would have been. */
  readonly file: string;
  readonly isMerge: boolean;
}

/** How it is told. */
interface ReportOptions {
  readonly dryRun?: boolean;
  readonly all?: boolean;
}

/** Bad lines that are shown to people; the JSON has a hundred. */
const badLinesShown = 10;
/** Regions without a state that are shown without `--all`. */
const unmappedShown = 5;

/** The report for people: a table of countries, what is lost, examples of what changes, lines that were not read. */
export function renderImport(found: ImportReport, { dryRun, all = false }: ReportOptions): string {
  const { difference, facts, file } = found;
  const rows = joinCountries(found).map((row) => ({
    name: row.name,
    numbers: [row.codes, row.places, row.added, row.removed, row.changed, row.unmapped],
  }));
  const headings = ["Codes", "Places", "Added", "Removed", "Changed", "States unmapped"];
  const title = dryRun
    ? `Nothing was written. This import would make of ${file}, as of ${facts.dataDate}:`
    : `Imported into ${file}, as of ${facts.dataDate}:`;
  const examples = dryRun ? renderExamples(difference, all) : [];
  return [
    `${title}\n\n${renderCountryTable(headings, rows, all)}`,
    renderLosses(found, dryRun === true),
    renderUnmapped(found.report, all),
    examples.length === 0 ? "" : `For example:\n${examples.join("\n")}\n`,
    renderBadLines(found.report.badLines),
  ]
    .filter((part) => part !== "")
    .join("\n");
}

/** The report as one line of JSON. */
export function renderImportJson(found: ImportReport, { dryRun = false }: ReportOptions): string {
  const { report, difference, facts, file } = found;
  const { badLines } = report;
  return renderJsonLine({
    dryRun,
    file,
    dataDate: facts.dataDate,
    rows: report.rows,
    countries: joinCountries(found).map(({ name: _, unmappedStates, ...row }) => ({
      ...row,
      unmappedStates: unmappedStates.map((state) => ({ ...state })),
      examples: (difference.find(({ code }) => code === row.code)?.examples ?? []).map(
        (example) => ({ ...example }),
      ),
    })),
    badLines: {
      count: badLines.count,
      byReason: { ...badLines.byReason },
      first: badLines.first.map((line) => ({ ...line })),
    },
  });
}

/** A country of the files, or one that changes though the files lack it. */
interface JoinedCountry {
  readonly code: string;
  readonly name: string;
  readonly codes: number;
  readonly places: number;
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly unmapped: number;
  readonly unmappedStates: CountryReport["unmappedStates"];
}

function joinCountries({ report, difference, facts }: ImportReport): readonly JoinedCountry[] {
  const byCode = Map.groupBy(report.countries, ({ country }) => country.code);
  const isTold = ({ code, added, removed, changed }: CountryDifference) =>
    byCode.has(code) || added + removed + changed > 0;
  return difference.filter(isTold).map(({ code, examples: _, ...counts }) => {
    const parts = byCode.get(code) ?? [];
    const [first] = parts;
    const unmappedStates = parts.flatMap((part) => part.unmappedStates);
    return {
      code,
      name: first === undefined ? code : `${first.country.name} (${code})`,
      codes: facts.postalCodesByCountry[code] ?? 0,
      places: parts.reduce((sum, { places }) => sum + places, 0),
      ...counts,
      unmapped: unmappedStates.length,
      unmappedStates,
    };
  });
}

/** What nobody finds any more, and the way to keep it. */
function renderLosses({ report, difference, isMerge }: ImportReport, isDryRun: boolean): string {
  const imported = new Set(report.countries.map(({ country }) => country.code));
  const losses = difference.filter(({ code, removed }) => removed > 0 && imported.has(code));
  if (isMerge || losses.length === 0) return "";
  const sum = losses.reduce((total, { removed }) => total + removed, 0).toLocaleString("en-US");
  const countries = losses.map(({ code }) => code);
  const named = countries.length > 5 ? `${countries.length} countries` : countries.join(", ");
  const verb = isDryRun ? "would be" : "are";
  return `${sum} postal codes of ${named} ${verb} no longer found, because the files lack them.\nImport with --merge to keep such codes.\n`;
}

/** Regions of the files that are no state of ISO 3166-2, the largest first. */
function renderUnmapped({ countries }: GeoNamesReport, showsAll: boolean): string {
  const regions = countries
    .flatMap(({ country: { code }, unmappedStates }) =>
      unmappedStates.map((state) => ({ country: code, ...state })),
    )
    .toSorted((a, b) => b.rows - a.rows);
  if (regions.length === 0) return "";
  const shown = showsAll ? regions : regions.slice(0, unmappedShown);
  const lines = shown.map(({ country, code, name, stateId, rows }) => {
    const label = toPrintable([country, code, name].filter((part) => part !== "").join(" "));
    return `  ${label}: state ${stateId}, ${rows.toLocaleString("en-US")} rows\n`;
  });
  const more = regions.length - shown.length;
  const rest = more > 0 ? `  and ${more} more (--all shows them)\n` : "";
  const title =
    regions.length === 1 ? "1 region is no state" : `${regions.length} regions are no states`;
  return `${title} of ISO 3166-2, and kept their names:\n${lines.join("")}${rest}`;
}

function renderBadLines({ count, first }: BadLines): string {
  if (count === 0) return "";
  const lines = first.slice(0, badLinesShown).map(({ source, line, reason, text }) => {
    return `  ${toPrintable(source)} line ${line}: ${reason}: ${toPrintable(text)}\n`;
  });
  const more = count > lines.length ? `  and ${count - lines.length} more\n` : "";
  const title = count === 1 ? "1 line was" : `${count.toLocaleString("en-US")} lines were`;
  return `${title} not taken:\n${lines.join("")}${more}`;
}
