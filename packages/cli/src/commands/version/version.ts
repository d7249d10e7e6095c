import { readVersion } from "@wfh/server/server/version.ts";
import { newestSchemaVersion } from "@wfh/server/store/migrate.ts";
import type { Command, DeclareCommand, SharedOptions } from "../../io/command.ts";
import { openConfiguredGazetteer } from "../../io/gazetteer.ts";
import { printReport } from "../../io/report.ts";
import { readSettings } from "../../io/settings.ts";

const help = `
Examples:
  wfh version                               print all versions
  wfh version --json                        print the same as one JSON object
  wfh --version                             print only that of the program
`;

/** `wfh version`. */
export const declareCommand: DeclareCommand = (command) =>
  command.shared("json", "config").addHelpText("after", help).run(showVersions);

async function showVersions(options: SharedOptions, { terminal }: Command): Promise<void> {
  const config = readSettings(options.config, terminal);
  const gazetteer = await openConfiguredGazetteer(config, terminal);
  const data = {
    version: readVersion(),
    node: process.versions.node,
    schemaVersion: newestSchemaVersion,
    postalDataDate: gazetteer.facts.dataDate,
  };
  const facts = [
    ["Web Forms Helper", data.version],
    ["Node.js", data.node],
    ["Database schema", String(data.schemaVersion)],
    ["Postal data of", data.postalDataDate],
  ] as const;
  printReport(terminal, options, data, () => [{ facts }]);
}
