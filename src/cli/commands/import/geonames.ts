import type { State } from "../../../domain/location/place.ts";
import { builtInGazetteer, openArtifact } from "../../../gazetteer/format/artifact.ts";
import type { KeptRows, PostalCodePlace } from "../../../gazetteer/format/place-rows.ts";
import { buildOn } from "../../../gazetteer/import/build-on.ts";
import {
  type CustomIds,
  findCustomIds,
  findStandardPlaces,
} from "../../../gazetteer/import/custom/standard-places.ts";
import {
  type GeoNamesImport,
  importGeoNames,
} from "../../../gazetteer/import/geonames/import-geonames.ts";
import type { GeoNamesReport } from "../../../gazetteer/import/geonames/report.ts";
import type { InputFile } from "../../../rows/input-file.ts";
import type { DeclareCommand } from "../../command.ts";
import { CommandError, exitCodes } from "../../exit-codes.ts";
import { openInput, standardInput } from "../../io/input.ts";
import { parseDay } from "../../io/options.ts";
import { toPrintable } from "../../io/printable.ts";
import { andMore, printReport } from "../../io/report.ts";
import type { Terminal } from "../../io/terminal.ts";
import { describeImport, toImportData } from "./geonames-report.ts";
import {
  addImportOptions,
  type Built,
  type ImportOptions,
  type ImportRun,
  runImport,
} from "./run-import.ts";

const help = `
Files are those of https://download.geonames.org/export/zip/: XX.zip, or the table in it, plain
or as gzip; several are one import. Without a file, or with -, standard input is read. The files of
export/dump have the same names, but no postal codes.

A country in the files replaces the one that is served. Other countries stay (unless --only), and
so do custom places (wfh import places). Files of PR, VI, GU, AS, MP, FM, MH and PW are states
of the US here. The data is © GeoNames, CC BY 4.0: credit GeoNames where you show it.
`;

interface GeonamesOptions extends ImportOptions {
  readonly merge?: boolean;
  readonly only?: boolean;
  /** `YYYY-MM-DD` */
  readonly dataDate?: string;
}

/** Adds `import geonames`. */
export const addImportGeonames: DeclareCommand = (group, { terminal }) => {
  const command = group
    .command("geonames")
    .description("import postal codes from GeoNames files")
    .argument("[file...]", "zip, gzip or plain text; - is standard input")
    .option("--merge", "keep postal codes of the imported countries that are not in the files")
    .option("--only", "remove countries that are not in the files")
    .option("--data-date <day>", "day of the data (default: as stated by the files)");
  addImportOptions(command)
    .addHelpText("after", help)
    .action((paths: string[], options: GeonamesOptions) =>
      importGeonames(paths.length === 0 ? [standardInput] : paths, options, terminal),
    );
};

async function importGeonames(
  paths: readonly string[],
  options: GeonamesOptions,
  terminal: Terminal,
): Promise<void> {
  parseDay("--data-date", options.dataDate);
  if (paths.filter((path) => path === standardInput).length > 1) {
    throw new CommandError("Standard input (-) can be read once only.", exitCodes.usage);
  }
  const outcome = await runImport(options, terminal, (run) =>
    build(
      paths.map((path) => openInput(path, terminal)),
      options,
      run,
    ),
  );
  const data = toImportData(outcome, options.dryRun === true);
  printReport(terminal, options, data, () => describeImport(data, options));
}

async function build(
  files: readonly InputFile[],
  options: GeonamesOptions,
  { current, signal, tell, progress }: ImportRun,
): Promise<Built<GeoNamesReport>> {
  const name = nameFiles(files);
  tell(`Reading ${toPrintable(name)}`);
  const standard = findStandardPlaces(current, openArtifact(builtInGazetteer));
  const read = await importGeoNames(files, standard, {
    signal,
    onProgress: (rows, share) => progress.update(rows, share),
  }).finally(() => progress.close());
  const ids = findCustomIds(current, standard, read.newStates);
  const counts = Object.values(current.facts.postalCodesByCountry);
  const sum = counts.reduce((total, count) => total + count, 0).toLocaleString("en-US");
  tell(`Building on the ${sum} postal codes that are there`);
  const { report } = read;
  const source = {
    name,
    kind: "geonames" as const,
    importedAt: new Date().toISOString(),
    dataDate: options.dataDate ?? findDataDate(files),
    countries: [...new Set(report.countries.map(({ country }) => country.code))].sort(),
  };
  const bytes = buildOn(current, {
    source,
    countries: current.countries,
    states: [...current.states, ...ids.newStates],
    postalCodes: withCustomIds(read, ids),
    keep: keeping(read, ids, options),
  });
  return { bytes, report };
}

function nameFiles(files: readonly InputFile[]): string {
  const shown = files.slice(0, 3).map(({ name }) => name);
  return shown.join(", ") + (files.length > 3 ? ` ${andMore(files.length - 3)}` : "");
}

/** Day of the youngest file, in UTC; null where none states one. GeoNames writes no date into its tables. */
function findDataDate(files: readonly InputFile[]): string | null {
  const days = files.flatMap(({ date }) => date?.toISOString().slice(0, 10) ?? []);
  return days.sort().at(-1) ?? null;
}

function* withCustomIds(
  { postalCodes }: GeoNamesImport,
  ids: CustomIds,
): Generator<PostalCodePlace> {
  for (const row of postalCodes) {
    const stateId = ids.stateIdOf(row.stateId);
    yield stateId === row.stateId ? row : { ...row, stateId };
  }
}

/** What stays of the artifact that is built on: custom places always, of imports what the files do not cover. */
function keeping(
  { covers }: GeoNamesImport,
  ids: CustomIds,
  { merge, only }: GeonamesOptions,
): KeptRows["keep"] {
  const covered = covers.map(({ countryId, stateId }) => ({
    countryId: ids.countryIdOf(countryId),
    stateId: stateId === undefined ? undefined : ids.stateIdOf(stateId),
  }));
  return (state: State, isCustom: boolean) => {
    if (isCustom) return "all";
    const parts = covered.filter(({ countryId }) => countryId === state.country.id);
    if (parts.length === 0) return only ? "none" : "all";
    const isCovered = parts.some(({ stateId }) => stateId === undefined || stateId === state.id);
    if (!isCovered) return "all";
    return merge ? "missing" : "none";
  };
}
