import type { Command } from "commander";
import type { DeclareCommand } from "../../command.ts";
import { type ImportGeoNamesOptions, importGeoNamesFiles } from "./geonames.ts";
import { importCustomPlacesFile } from "./places.ts";
import { type RollbackOptions, rollBackImport } from "./rollback.ts";
import type { ImportOptions } from "./run-import.ts";

const examples = `
Examples:
  wfh import geonames US.zip CA.zip --dry-run
                                            show what would change, and write nothing
  wfh import geonames US.zip CA.zip --merge replace codes in the files, keep the others
  wfh import geonames allCountries.zip      import all countries
  curl -s https://download.geonames.org/export/zip/CA.zip | wfh import geonames
  wfh import places places.csv --dry-run    your custom places, with the ids of an older system
  wfh import rollback                       return to the data before the last import

An import writes a new file beside the one that is served, verifies it, and puts it in its place. If
it fails, the old file stays. A running server loads the new file within seconds, without a restart;
SIGHUP makes it check at once. The file is that of WFH_GAZETTEER, by default
./web-forms-helper.gazetteer; before the first import the built-in data is served.

Exit codes: 0 imported (or shown, with --dry-run), 2 wrong command line or settings, 3 failed,
and nothing was changed, 130 Ctrl+C, and nothing was changed.
`;

const geoNamesHelp = `
Files are those of https://download.geonames.org/export/zip/: XX.zip, or the table in it, plain
or as gzip; several are one import. Without a file, or with -, standard input is read. The files of
export/dump have the same names, but no postal codes.

A country in the files replaces the one that is served. Other countries stay (unless --only), and
so do custom places (wfh import places). Files of PR, VI, GU, AS, MP, FM, MH and PW are states
of the US here. The data is © GeoNames, CC BY 4.0: credit GeoNames where you show it.
`;

const placesHelp = `
The table is CSV (RFC 4180) with a header. Separators may be commas, semicolons or tabs; the encoding is
UTF-8, or UTF-16 with a byte order mark. Columns in any order:
  postalCode, city, stateAbbreviation, countryCode     required
  preferred                the place returned if a code has several (default: the first row)
  active                   false: the row is not returned, but its IDs and names count
  stateId, stateName, stateActive                      of the state, everywhere
  countryId, countryName, countryAlias, countryActive  of the country, everywhere
  continentCode, continentId, continentName            of the continent, everywhere

  postalCode,city,stateAbbreviation,countryCode,stateId,preferred
  10001,New York,NY,US,36,yes
  10001,Chelsea,NY,US,,

An empty cell changes nothing. An unknown state is added when it has a name or an id, an unknown
country when it has countryId, countryName and continentCode. The file is the whole table: it
replaces the one before, and what it no longer names gets its standard ids again; a file with only a
header removes the table. Custom places take precedence over imports and stay when GeoNames files
are imported. Rows that contradict each other are listed with their lines, and nothing is changed.
`;

/** `wfh import`. */
export const declareCommand: DeclareCommand = (group, { terminal: console, exitWith: ended }) => {
  group.addHelpText("after", examples);
  addImportOptions(
    group
      .command("geonames")
      .description("import postal codes from GeoNames files")
      .argument("[file...]", "zip, gzip or plain text; - is standard input")
      .option("--merge", "keep postal codes of the imported countries that are not in the files")
      .option("--only", "remove countries that are not in the files")
      .option("--data-date <day>", "day of the data (default: as stated by the files)"),
  )
    .addHelpText("after", geoNamesHelp)
    .action(async (files: string[], options: ImportGeoNamesOptions) =>
      ended(await importGeoNamesFiles(files, options, console)),
    );
  addImportOptions(
    group
      .command("places")
      .description("import custom places and ids from a table")
      .argument("<file>", "CSV, plain, gzip or zip; - is standard input"),
  )
    .addHelpText("after", placesHelp)
    .action(async (file: string, options: ImportOptions) =>
      ended(await importCustomPlacesFile(file, options, console)),
    );
  group
    .command("rollback")
    .description("return to the data before the last import; repeat to undo")
    .option("--json", "one JSON object instead of a sentence")
    .option("--quiet", "print only errors")
    .option("-c, --config <file>", "settings file in TOML")
    .action(async (options: RollbackOptions) => ended(await rollBackImport(options, console)));
};

/** Adds the options that all imports share. */
function addImportOptions(command: Command): Command {
  return command
    .option("--dry-run", "show what would change, and write nothing")
    .option("--fresh", "build on the built-in data instead of what is served")
    .option("--json", "one JSON object instead of tables")
    .option("--quiet", "print only errors")
    .option("--all", "show all countries, not only those with the most postal codes")
    .option("-c, --config <file>", "settings file in TOML");
}
