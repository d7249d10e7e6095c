import type { FetchedFile } from "@wfh/server/domain/location/gazetteer.ts";
import { countOf, formatCount, toPrintable } from "@wfh/server/lib/printable.ts";
import { type GeoNamesReport, importGeoNames } from "../../imports/geonames/import-geonames.ts";
import { type Command, type DeclareCommand, valueOption } from "../../io/command.ts";
import { CommandError, exitCodes } from "../../io/exit-codes.ts";
import { describeFacts, nameCountries } from "../../io/gazetteer.ts";
import { reportImport } from "../../io/import-report.ts";
import { parseDay } from "../../io/options.ts";
import { andMore, firstLines, type ListSection, type Section } from "../../io/report.ts";
import { openInput, standardInput } from "../../io/terminal.ts";
import { BadLines } from "../../rows/bad-lines.ts";
import type { InputFile } from "../../rows/input-file.ts";
import { countryTable, exampleList, showAll } from "./country-table.ts";
import { fetchFiles, parseCountries, refuseRemovals, requireCountries } from "./fetch.ts";
import {
  addImportOptions,
  type GazetteerImportOutcome,
  type ImportOptions,
  type ImportRun,
  runImport,
} from "./run-import.ts";

/** Bad lines that are shown to people; the JSON has a hundred of each file. */
const badLinesShown = 10;
/** Regions without a state that are shown without `--all`. */
const unmappedShown = 5;

const help = `
--fetch downloads XX.zip of each country from https://download.geonames.org/export/zip/, or from the
address of --from or WFH_GEONAMES_URL. If no file has changed since it was imported, nothing is
imported. Nor is anything imported if a country would lose more than 1 % of its postal codes: keep
them with --merge, or accept the loss with --allow-removals. Use --merge for the US, because
GeoNames lacks some codes of the built-in data. Proxies: HTTPS_PROXY, HTTP_PROXY, NO_PROXY.

If you download files yourself, pass XX.zip or the table in it, plain or gzip. Several files are
imported together: all of them or none. Do not use the files in export/dump, which have the same
names but contain no postal codes.

The countries in the files replace the served ones. Other countries are kept (unless --only), and so
are custom places (wfh places import table). PR, VI, GU, AS, MP, FM, MH and PW are imported as
states of the US. The data is © GeoNames, CC BY 4.0: credit GeoNames wherever you show it.
`;

interface GeonamesOptions extends ImportOptions {
  readonly merge?: boolean;
  readonly only?: boolean;
  /** `YYYY-MM-DD` */
  readonly dataDate?: string;
  /** Countries (alpha-2) to fetch. */
  readonly fetch?: readonly string[];
  readonly allowRemovals?: boolean;
}

/** Adds `places import geonames`. */
export const addImportGeonames: DeclareCommand = (group) => {
  const command = group
    .command("geonames")
    .description("Import postal codes from GeoNames files")
    .argument(
      "[file...]",
      "GeoNames files, plain, gzip or zip; - reads standard input (the default)",
    )
    .addOption(
      valueOption(
        "--fetch <countries>",
        "download the files of these countries, for example US,CA",
        parseCountries,
      ),
    )
    .option("--from <url>", "address of the files to download (default: WFH_GEONAMES_URL)")
    .option("--allow-removals", "import downloaded files even if many postal codes disappear")
    .option(
      "--merge",
      "keep existing postal codes that the files lack, in the countries of the files",
    )
    .option("--only", "remove all countries that the files do not contain")
    .value("--data-date <day>", "date of the data (default: the date in the files)", parseDay);
  addImportOptions(command).addHelpText("after", help).run(importGeonames);
};

async function importGeonames(
  given: readonly string[],
  options: GeonamesOptions,
  { terminal }: Command,
): Promise<number> {
  const paths = given.length === 0 ? [standardInput] : given;
  const { dataDate, merge = false, only = false, dryRun = false, fetch: codes, quiet } = options;
  requireFetch(given, options);
  if (paths.filter((path) => path === standardInput).length > 1) {
    throw new CommandError("Standard input (-) can be given only once.", exitCodes.usage);
  }
  const build = (run: ImportRun, files: readonly InputFile[], fetched?: readonly FetchedFile[]) => {
    const name = fetched
      ? `${run.config.geonamesUrl} (${nameCountries(codes ?? [])})`
      : nameFiles(files);
    run.showStep(`Reading ${toPrintable(name)}`);
    const onBuild = () => run.showStep(`Building on ${describeFacts(run.current.facts)}`);
    return importGeoNames({ ...run, files, fetched, name, dataDate, merge, only, onBuild });
  };
  const outcome = await runImport(
    options,
    terminal,
    async (run) => {
      if (codes === undefined) {
        return build(
          run,
          paths.map((path) => openInput(path, terminal)),
        );
      }
      const fetchOptions = { codes, merge, only, quiet };
      const imported = await fetchFiles(run, fetchOptions, terminal, (...files) =>
        build(run, ...files),
      );
      return imported ?? { bytes: run.current.bytes, report: emptyReport };
    },
    ({ report, difference }, served) => {
      if (codes === undefined) return;
      requireCountries(codes, report.countries);
      if (options.allowRemovals !== true) refuseRemovals(codes, difference, served.facts);
    },
  );
  const data = toImportData(outcome, dryRun);
  return reportImport(terminal, options, data, () => describeImport(data, options));
}

/** Report of an import of unchanged files. */
const emptyReport: GeoNamesReport = { rows: 0, badLines: new BadLines(), countries: [] };

/** @throws {CommandError} when options of `--fetch` are given without it, or with other files. */
function requireFetch(
  paths: readonly string[],
  { fetch: codes, from, allowRemovals }: GeonamesOptions,
): void {
  const wrong = codes
    ? paths.length > 0 && "--fetch takes no files: name files, or countries to fetch"
    : from !== undefined || allowRemovals
      ? "--from and --allow-removals need --fetch"
      : false;
  if (wrong !== false) throw new CommandError(`${wrong}.`, exitCodes.usage);
}

function nameFiles(files: readonly InputFile[]): string {
  const shown = files.slice(0, 3).map(({ name }) => name);
  return shown.join(", ") + (files.length > 3 ? ` ${andMore(files.length - 3)}` : "");
}

/** Report of an import of postal files, as `--json` prints it. */
type GeonamesData = ReturnType<typeof toImportData>;

/** Gathers the report of a postal import: countries of the files, and others that change. */
function toImportData(
  { report, difference, after: { facts }, file, unchanged }: GazetteerImportOutcome<GeoNamesReport>,
  dryRun: boolean,
) {
  const imported = Map.groupBy(report.countries, ({ country }) => country.code);
  const countries = difference
    .filter(({ code, added, removed, changed }) => {
      return imported.has(code) || added + removed + changed > 0;
    })
    .map(({ code, examples, ...counts }) => {
      const parts = imported.get(code) ?? [];
      const unmappedStates = parts.flatMap((part) => part.unmappedStates);
      return {
        code,
        codes: facts.postalCodesByCountry[code] ?? 0,
        places: parts.reduce((sum, { places }) => sum + places, 0),
        ...counts,
        unmapped: unmappedStates.length,
        unmappedStates,
        examples,
        name: parts[0]?.country.name ?? null,
      };
    });
  const { rows, badLines } = report;
  return { dryRun, file, unchanged, dataDate: facts.dataDate, rows, countries, badLines };
}

/** Describes an import: a table of countries, losses, examples of changes, and skipped lines. */
function describeImport(
  data: GeonamesData,
  { all = false, merge = false }: { readonly all?: boolean; readonly merge?: boolean },
): readonly Section[] {
  const { dryRun, file, dataDate, countries } = data;
  if (data.unchanged)
    return [`Nothing to import into ${file}: the files have not changed since they were imported.`];
  const title = dryRun
    ? `This import would change ${file} to, as of ${dataDate}:`
    : `Imported into ${file}, as of ${dataDate}:`;
  const rows = countries.map(
    ({ code, name, codes, places, added, removed, changed, unmapped }) =>
      [
        name === null ? code : `${name} (${code})`,
        codes,
        places,
        added,
        removed,
        changed,
        unmapped,
      ] as const,
  );
  const header = ["Codes", "Places", "Added", "Removed", "Changed", "States unmapped"];
  return [
    title,
    countryTable(header, rows, all),
    merge ? "" : describeLosses(data),
    listUnmapped(data, all),
    dryRun ? exampleList(countries, all) : "",
    listBadLines(data),
  ];
}

/** Postal codes that are no longer found, and how to keep them. */
function describeLosses({ countries, dryRun }: GeonamesData): string {
  const losses = countries.filter(({ name, removed }) => name !== null && removed > 0);
  if (losses.length === 0) return "";
  const sum = losses.reduce((total, { removed }) => total + removed, 0);
  const verb = dryRun ? "would be" : sum === 1 ? "is" : "are";
  const named = nameCountries(losses.map(({ code }) => code));
  return `${countOf(sum, "postal code")} of ${named} ${verb} no longer found, because the files do not contain ${sum === 1 ? "it" : "them"}.\nTo keep such codes, import with --merge.`;
}

/** Regions of the files that are no state of ISO 3166-2, the largest first. */
function listUnmapped({ countries }: GeonamesData, all: boolean): ListSection {
  const regions = countries
    .flatMap(({ code, unmappedStates }) =>
      unmappedStates.map((state) => ({ country: code, ...state })),
    )
    .toSorted((a, b) => b.rows - a.rows);
  const lines = regions.map(({ country, code, name, stateId, rows }) => {
    const label = [country, code, name].filter((part) => part !== "").join(" ");
    return `${label}: state ${stateId}, ${formatCount(rows)} rows`;
  });
  const subject = countOf(regions.length, "region is not a state", "regions are not states");
  return {
    title: `${subject} of ISO 3166-2; their names were kept:`,
    lines: all ? lines : firstLines(lines, unmappedShown, showAll),
  };
}

function listBadLines({ badLines: { count, first } }: GeonamesData): ListSection {
  const lines = first.map(
    ({ source, line, reason, text }) => `${source} line ${line}: ${reason}: ${text}`,
  );
  const subject = countOf(count, "invalid line was", "invalid lines were");
  return { title: `${subject} skipped:`, lines: firstLines(lines, badLinesShown, "", count) };
}
