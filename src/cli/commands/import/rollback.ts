import { openArtifact } from "../../../gazetteer/format/artifact.ts";
import type { DeclareCommand } from "../../command.ts";
import { describeFacts, openConfiguredReleases, withReleases } from "../../gazetteer.ts";
import { configOption, jsonOption, quietOption, type SharedOptions } from "../../io/options.ts";
import { printReport } from "../../io/report.ts";
import { readSettings } from "../../settings.ts";

/** Adds `import rollback`. */
export const addImportRollback: DeclareCommand = (group, { terminal }) => {
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
