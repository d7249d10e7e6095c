import { existsSync } from "node:fs";
import { OverridesFullError } from "../domain/location/override.ts";
import { AdministrationError } from "../domain/log-in/accounts/administration.ts";
import type { Config } from "../server/settings/settings.ts";
import { addressOf } from "../store/database-address.ts";
import type { OpenAdministration } from "../store/store.ts";
import { StoreError } from "../store/store-error.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import type { Terminal } from "./io/terminal.ts";
import { readSettings } from "./settings.ts";

/** What a command that changes accounts, forms or overrides works with. */
export interface AdminContext {
  readonly administration: OpenAdministration;
  readonly config: Config;
}

/** Whether a command may be the first that uses a database; else one that is not there is an error, not an empty one. */
export type DatabaseState = "existing" | "existing or new";

/**
 * Lets something administer the database of the settings, and closes it afterwards.
 *
 * @throws {CommandError} when it cannot be opened, or what is wanted is not possible as things are.
 */
export async function withAdminContext<Result>(
  configFile: string | undefined,
  console: Terminal,
  run: (office: AdminContext) => Promise<Result>,
  state: DatabaseState = "existing",
): Promise<Result> {
  const config = readSettings(configFile, console);
  // Loaded only here: what speaks to databases is a third of what there is to load, and help does without.
  const { openAdministration, openReader } = await import("../store/store.ts");
  try {
    if (state === "existing") await (await openReader(config.databaseUrl)).close();
    const newFile = findNewFile(config.databaseUrl);
    const administration = await openAdministration(config.databaseUrl, Date.now);
    // Where the address was mistyped, this is the moment to notice.
    if (newFile !== null) console.err(`Made a new database: ${newFile}\n`);
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
    if (cause instanceof OverridesFullError) {
      const advice = "Bring them as a table instead: wfh import places --help";
      throw new CommandError(`${cause.message}.\n${advice}`, exitCodes.failed, cause);
    }
    if (!(cause instanceof StoreError)) throw cause;
    throw new CommandError(`${cause.message}\nCheck WFH_DATABASE_URL.`, exitCodes.failed, cause);
  }
}

/** The SQLite file of an address that is not there yet; null where there is one, or another engine. */
function findNewFile(url: string): string | null {
  const address = addressOf(url);
  return address.engine === "SQLite" && !existsSync(address.file) ? address.file : null;
}
