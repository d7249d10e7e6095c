import { type Administration, AdministrationError } from "../domain/log-in/administration.ts";
import type { Config } from "../server/settings.ts";
import { openAdministration, openReader } from "../store/open-store.ts";
import { StoreError } from "../store/store-error.ts";
import type { Console } from "./console.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { readSettings } from "./settings.ts";

/** What a command that changes accounts or forms works with. */
export interface Office {
  readonly administration: Administration;
  readonly config: Config;
}

/** Whether a command may be the first that uses a database; else one that is not there is an error, not an empty one. */
export type DatabaseState = "existing" | "existing or new";

/**
 * Lets something administer the database of the settings, and closes it afterwards.
 *
 * @throws {CommandError} when it cannot be opened, or what is wanted is not possible as things are.
 */
export async function withAdministration<Result>(
  configFile: string | undefined,
  console: Console,
  run: (office: Office) => Promise<Result>,
  state: DatabaseState = "existing",
): Promise<Result> {
  const config = readSettings(configFile, console);
  try {
    if (state === "existing") await (await openReader(config.databaseUrl)).close();
    const administration = await openAdministration(config.databaseUrl, Date.now);
    try {
      return await run({ administration, config });
    } finally {
      await administration.close();
    }
  } catch (cause) {
    if (cause instanceof AdministrationError) {
      const advice = "See which there are: wfh accounts list";
      throw new CommandError(`${cause.message}\n${advice}`, exitCodes.failed, cause);
    }
    if (!(cause instanceof StoreError)) throw cause;
    throw new CommandError(`${cause.message}\nCheck WFH_DATABASE_URL.`, exitCodes.failed, cause);
  }
}
