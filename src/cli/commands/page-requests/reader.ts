import type { Config } from "../../../server/settings/settings.ts";
import type { OpenReader } from "../../../store/store.ts";
import { StoreError } from "../../../store/store-error.ts";
import { CommandError, exitCodes } from "../../exit-codes.ts";
import type { Terminal } from "../../io/terminal.ts";
import { readSettings } from "../../settings.ts";

/**
 * Lets something read the database of the settings, and closes it afterwards.
 *
 * @throws {CommandError} when it cannot be read.
 */
export async function withReader<Result>(
  configFile: string | undefined,
  console: Terminal,
  read: (reader: OpenReader, config: Config) => Promise<Result>,
): Promise<Result> {
  const config = readSettings(configFile, console);
  try {
    const { openReader } = await import("../../../store/store.ts");
    const reader = await openReader(config.databaseUrl);
    try {
      return await read(reader, config);
    } finally {
      await reader.close();
    }
  } catch (cause) {
    if (!(cause instanceof StoreError)) throw cause;
    throw new CommandError(`${cause.message}\nCheck WFH_DATABASE_URL.`, exitCodes.failed, cause);
  }
}
