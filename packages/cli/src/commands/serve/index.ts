import { settings } from "@wfh/server/server/settings/settings.ts";
import { type Command, type DeclareCommand, valueOption } from "../../io/command.ts";
import { notAllowed } from "../../io/options.ts";
import type { ServeOptions } from "./serve.ts";

const help = `
Examples:
  wfh serve                                 read settings from the environment
  wfh serve --port 9000                     listen on port 9000 instead of the configured one
  wfh serve --port 0                        listen on a free port and print it
  wfh serve --config settings.toml          read settings from a file
  sudo wfh serve --check && sudo systemctl restart wfh
                                            leave the server running if a new one could not start
`;

/** `wfh serve`. */
export const declareCommand: DeclareCommand = (command) =>
  command
    .shared("config")
    .addOption(
      settingOption("--port <port>", "port to listen on (0 for a free one)", settings.port),
    )
    .addOption(settingOption("--host <host>", "address to listen on", settings.host))
    .addOption(
      settingOption(
        "--data-dir <folder>",
        "folder of database, key and postal codes",
        settings.dataDir,
      ),
    )
    .option("--check", "check settings, database, postal codes, keys and port; do not start")
    .addHelpText("after", help)
    .run(async (options: ServeOptions, { terminal }: Command) => {
      // Loaded only here: `wfh serve --help` does without the server.
      const { serve } = await import("./serve.ts");
      return serve(options, terminal);
    });

/** An option that takes the place of a setting, and the same values. */
export function settingOption(
  flags: string,
  description: string,
  { variable, allowed, parse }: (typeof settings)["port" | "host" | "dataDir"],
) {
  return valueOption(flags, `${description}, instead of ${variable}`, (name, text) => {
    try {
      parse(text);
      return text;
    } catch {
      throw notAllowed(name, text, allowed);
    }
  });
}
