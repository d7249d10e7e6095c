import { openArtifact } from "../../../gazetteer/format/artifact.ts";
import type { DeclareCommand } from "../../command.ts";
import { describeFacts, openConfiguredReleases, withReleases } from "../../gazetteer.ts";
import { configOption, jsonOption, quietOption, type SharedOptions } from "../../io/options.ts";
import { printReport } from "../../io/report.ts";
import { readSettings } from "../../settings.ts";
import { addImportGeonames } from "./geonames.ts";
import { addImportPlaces } from "./places.ts";

const help = `
Examples:
  wfh import geonames US.zip CA.zip --dry-run
                                            show what would change, and write nothing
  wfh import geonames US.zip CA.zip --merge replace codes in the files, keep the others
  wfh import geonames allCountries.zip      import all countries
  curl -s https://download.geonames.org/export/zip/CA.zip | wfh import geonames
  wfh import places places.csv --dry-run    preview custom places with the ids of an older system
  wfh import rollback                       return to the data before the last import

An import writes a new file beside the one that is served, verifies it, and puts it in its place. If
it fails, the old file stays. A running server loads the new file within seconds, without a restart;
SIGHUP makes it check at once. The file is that of WFH_GAZETTEER, by default
./web-forms-helper.gazetteer; before the first import the built-in data is served.

Exit codes: 0 imported (or shown, with --dry-run), 2 wrong command line or settings, 3 failed,
and nothing was changed, 130 Ctrl+C, and nothing was changed.
`;

/** Adds `import` and its commands. */
export const declareCommand: DeclareCommand = (group, context) => {
  group.addHelpText("after", help);
  addImportGeonames(group, context);
  addImportPlaces(group, context);
  addImportRollback(group, context);
};

const addImportRollback: DeclareCommand = (group, { terminal }) => {
  group
    .command("rollback")
    .description("return to the data before the last import; repeat to undo")
    .addOption(jsonOption("one JSON object instead of a sentence"))
    .addOption(quietOption())
    .addOption(configOption())
    .action(async (options: SharedOptions) => {
      const config = readSettings(options.config, terminal);
      const releases = openConfiguredReleases(config.gazetteer);
      await withReleases(() => releases.change(({ rollBack }) => rollBack()));
      const { facts } = openArtifact(releases.file);
      const { dataDate, postalCodesByCountry } = facts;
      const data = { file: releases.file, dataDate, postalCodesByCountry };
      printReport(terminal, options, data, () => [
        `Now served from ${data.file}: ${describeFacts(facts)}.\nRepeat the command to undo this.`,
      ]);
    });
};
