import type { Command, DeclareCommand, SharedOptions } from "../../io/command.ts";
import { describeFacts, withReleases } from "../../io/gazetteer.ts";
import { printReport } from "../../io/report.ts";
import { readSettings } from "../../io/settings.ts";
import { addImportGeonames } from "./import-geonames.ts";
import { addImportTable } from "./import-table.ts";

const help = `
Examples:
  wfh places import geonames US.zip CA.zip --dry-run
                                            preview the changes
  wfh places import geonames US.zip CA.zip --merge
                                            replace codes in the files, keep the others
  wfh places import geonames allCountries.zip
                                            import all countries
  wfh places import geonames --fetch US,CA --merge
                                            download the newest files, if they have changed
  wfh places import table places.csv --dry-run
                                            preview custom places with the IDs of an old system

An import writes a new file, verifies it, and then replaces the served one. If it fails, the old
file stays. A running server loads the new file within seconds, without a restart; SIGHUP makes it
check at once. The file is set by WFH_GAZETTEER (default: web-forms-helper.gazetteer beside
the SQLite database; with PostgreSQL, beside the key file). Before the first import, the built-in
data is served.

With PostgreSQL, an import writes to the database instead, and all nodes load the new data within
ten seconds. WFH_GAZETTEER_RELEASES=file keeps it in files.

Exit codes: 0 imported (or previewed with --dry-run), 2 invalid command line, 69 failed, 78
invalid settings, 130 interrupted. If an import fails or is interrupted, nothing is changed.
`;

/** Adds `places import` and its commands. */
export const addPlacesImport: DeclareCommand = (group) => {
  const command = group
    .command("import")
    .description("Import postal codes, of GeoNames or a table");
  command.addHelpText("after", help);
  addImportGeonames(command);
  addImportTable(command);
};

/** Adds `places rollback`. */
export const addPlacesRollback: DeclareCommand = (group) =>
  group
    .command("rollback")
    .description("Return to the data before the last import; run again to undo")
    .shared("json", "quiet", "config")
    .run(rollBackRelease);

async function rollBackRelease(options: SharedOptions, { terminal }: Command): Promise<void> {
  const config = readSettings(options.config, terminal);
  await withReleases(config, "import", async (releases) => {
    await releases.change(({ rollBack }) => rollBack());
    const { facts } = (await releases.openCurrent()).artifact;
    const { dataDate, postalCodesByCountry } = facts;
    const data = { file: releases.name, dataDate, postalCodesByCountry };
    printReport(terminal, options, data, () => [
      `Now served from ${data.file}: ${describeFacts(facts)}.\nRepeat the command to undo this.`,
    ]);
  });
}
