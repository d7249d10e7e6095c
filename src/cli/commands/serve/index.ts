import type { DeclareCommand } from "../../command.ts";
import type { SharedOptions } from "../../io/options.ts";

const help = `
Examples:
  wfh serve                                 read settings from the environment
  WFH_PORT=0 wfh serve                      listen on a free port and print it
  WFH_WORKERS=auto wfh serve                run one process per core, on one port
  wfh serve --config /etc/wfh/settings.toml
  wfh doctor                                check the installation
`;

/** `wfh serve`. */
export const declareCommand: DeclareCommand = (command, { terminal, exitWith }) => {
  command
    .option("-c, --config <file>", "settings file in TOML")
    .addHelpText("after", help)
    .action(async (options: SharedOptions) => {
      // Loaded only here: `wfh serve --help` does without the server.
      const { serve } = await import("./serve.ts");
      exitWith(await serve(options, terminal));
    });
};
