import { decideImport } from "../domain/log-in/accounts/account-import.ts";
import type { Config } from "../server/settings/settings.ts";
import type { OpenPreview } from "../store/store.ts";
import { StoreError } from "../store/store-error.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import type { Terminal } from "./io/terminal.ts";
import { readSettings } from "./settings.ts";

/** What a dry run looks at. */
export interface Preview {
  readonly database: Omit<OpenPreview, "close">;
  readonly config: Config;
}

/** Where there is no database yet, everything is new. */
const nothing: OpenPreview = {
  importAccounts: async (accounts, { isOverwriting }) =>
    accounts.map((account) => decideImport(account, null, null, isOverwriting)),
  listForms: async () => [],
  close: async () => {},
};

/**
 * Lets a dry run look at the database of the settings, and closes it afterwards. Makes none and writes nothing.
 *
 * @throws {CommandError} when it cannot be read.
 */
export async function withPreview<Result>(
  configFile: string | undefined,
  console: Terminal,
  run: (preview: Preview) => Promise<Result>,
): Promise<Result> {
  const config = readSettings(configFile, console);
  try {
    const { openPreview } = await import("../store/store.ts");
    const database = (await openPreview(config.databaseUrl)) ?? nothing;
    try {
      return await run({ database, config });
    } finally {
      await database.close();
    }
  } catch (cause) {
    if (!(cause instanceof StoreError)) throw cause;
    throw new CommandError(`${cause.message}\nCheck WFH_DATABASE_URL.`, exitCodes.failed, cause);
  }
}
