import { type Environment, readConfig } from "@wfh/server/server/settings/config.ts";
import type { Config } from "@wfh/server/server/settings/settings.ts";
import type { Terminal } from "./terminal.ts";

/**
 * Reads the settings, warns of unknown variables that look like settings, and says where files of
 * an earlier version are used.
 *
 * @param given values of the command line, by the variables whose place they take.
 * @throws {SettingsError} naming every setting that cannot be used.
 */
export function readSettings(
  file: string | undefined,
  terminal: Pick<Terminal, "err">,
  given: Environment = {},
): Config {
  const { config, warnings, notice } = readConfig(file, undefined, given);
  for (const warning of warnings) terminal.err(`Warning: ${warning}\n`);
  if (notice !== undefined) terminal.err(`${notice}\n`);
  return config;
}
