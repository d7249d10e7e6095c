import { readConfig, SettingsError } from "@wfh/server/server/settings/config.ts";
import type { Config } from "@wfh/server/server/settings/settings.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import type { Terminal } from "./terminal.ts";

/**
 * Reads the settings, and warns of unknown variables that look like settings.
 *
 * @param given values of the command line, by the variables whose place they take.
 * @throws {CommandError} naming every setting that cannot be used.
 */
export function readSettings(
  file: string | undefined,
  terminal: Pick<Terminal, "err">,
  given: Readonly<Record<string, string>> = {},
): Config {
  try {
    const { config, warnings } = readConfig(file, undefined, given);
    for (const warning of warnings) terminal.err(`Warning: ${warning}\n`);
    return config;
  } catch (cause) {
    if (cause instanceof SettingsError) {
      throw new CommandError(cause.message, exitCodes.usage, cause);
    }
    throw cause;
  }
}
