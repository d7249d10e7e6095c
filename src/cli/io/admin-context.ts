import { existsSync } from "node:fs";
import {
  indexOverrides,
  type OverrideIndex,
  OverridesFullError,
  type PlaceOverride,
} from "../../domain/location/override.ts";
import { decideImport } from "../../domain/log-in/accounts/account-import.ts";
import { AdministrationError } from "../../domain/log-in/accounts/administration.ts";
import type { Config } from "../../server/settings/settings.ts";
import { addressOf } from "../../store/open-database.ts";
import { DiskReserveError } from "../../store/page-requests/disk-reserve.ts";
import type { OpenAdministration, OpenPreview, OpenReader } from "../../store/store.ts";
import { OtherKeyError, StoreError } from "../../store/store-error.ts";
import type { Command, SharedOptions } from "./command.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { readSettings } from "./settings.ts";
import type { Terminal } from "./terminal.ts";

/** What a command that changes accounts, forms or overrides works with. */
export interface AdminContext {
  readonly administration: OpenAdministration;
  readonly config: Config;
  readonly terminal: Terminal;
}

/** Whether a command may create the database; otherwise a missing one is an error. */
type DatabaseState = "existing" | "existing or new";

/** An action that opens the database of the settings, runs with the arguments and options of its command, and closes it. */
export function administer<Args extends readonly unknown[]>(
  run: (context: AdminContext, ...args: Args) => Promise<unknown>,
  state: DatabaseState = "existing",
): (...args: [...Args, Command]) => Promise<unknown> {
  return (...args) => {
    const command = args.at(-1) as Command;
    const given = args.slice(0, -1) as unknown as Args;
    const { terminal } = command;
    const { config } = command.opts<SharedOptions>();
    return withAdminContext(
      readSettings(config, terminal),
      terminal,
      (at) => run(at, ...given),
      state,
    );
  };
}

/**
 * Opens the database of the settings, lets a command administer it, and closes it.
 *
 * @throws {CommandError} when the database cannot be opened, or the change is not possible.
 */
export async function withAdminContext<Result>(
  config: Config,
  terminal: Terminal,
  run: (context: AdminContext) => Promise<Result>,
  state: DatabaseState = "existing",
): Promise<Result> {
  const { databaseUrl } = config;
  const open = async ({ openAdministration, openReader }: StoreModule) => {
    if (state === "existing") await (await openReader(databaseUrl)).close();
    const address = addressOf(databaseUrl);
    const isNew = address.engine === "SQLite" && !existsSync(address.file);
    const administration = await openAdministration(databaseUrl, Date.now);
    // Where the address was mistyped, this is the moment to notice.
    if (isNew) terminal.err(`Created a new database: ${address.file}\n`);
    return administration;
  };
  return withDatabase(open, (administration) => run({ administration, config, terminal }));
}

/** What an import of accounts or forms works with. */
export interface ImportContext {
  /** The database as it is. */
  readonly database: Omit<OpenPreview, "close">;
  /** null in a dry run. */
  readonly admin: AdminContext | null;
}

/** A database that does not exist yet: everything is new. */
const emptyPreview: OpenPreview = {
  importAccounts: async (accounts, { isOverwriting }) =>
    accounts.map((account) => decideImport(account, null, null, isOverwriting)),
  listForms: async () => [],
  close: async () => {},
};

/**
 * Lets an import work on the database of the settings. A dry run creates no database and writes nothing.
 *
 * @throws {CommandError} when the database cannot be opened, or the change is not possible.
 */
export async function withImportContext<Result>(
  config: Config,
  { dryRun }: Pick<SharedOptions, "dryRun">,
  terminal: Terminal,
  run: (context: ImportContext) => Promise<Result>,
): Promise<Result> {
  if (!dryRun) {
    const change = (admin: AdminContext) => run({ database: admin.administration, admin });
    return withAdminContext(config, terminal, change, "existing or new");
  }
  return withDatabase(
    async () => {
      const { openPreview } = await import("../../store/store.ts");
      return (await openPreview(config.databaseUrl)) ?? emptyPreview;
    },
    (database) => run({ database, admin: null }),
  );
}

/**
 * Lets a command read page requests from the database of the settings, and closes it.
 *
 * @throws {CommandError} when it cannot be read.
 */
export async function withReader<Result>(
  options: Pick<SharedOptions, "config">,
  terminal: Terminal,
  read: (reader: OpenReader, config: Config) => Promise<Result>,
): Promise<Result> {
  const config = readSettings(options.config, terminal);
  return withDatabase(
    ({ openReader }) => openReader(config.databaseUrl),
    (reader) => read(reader, config),
  );
}

type StoreModule = typeof import("../../store/store.ts");

/**
 * Opens a database, uses it and closes it.
 *
 * @throws {CommandError} in place of its errors.
 */
export async function withDatabase<Opened extends { close(): Promise<void> }, Result>(
  open: (store: StoreModule) => Promise<Opened>,
  use: (opened: Opened) => Promise<Result>,
): Promise<Result> {
  // Loaded only here: database drivers are a third of the program, and help does without.
  const store = await import("../../store/store.ts");
  try {
    const opened = await open(store);
    try {
      return await use(opened);
    } finally {
      await opened.close();
    }
  } catch (cause) {
    throw explain(cause);
  }
}

/**
 * Overrides in the database of the settings, which may not exist yet. Does not create it.
 *
 * @throws {CommandError} when it cannot be read.
 */
export async function readOverrides(config: Config): Promise<readonly PlaceOverride[]> {
  try {
    const { readPlaceOverrides } = await import("../../store/store.ts");
    return await readPlaceOverrides(config.databaseUrl);
  } catch (cause) {
    throw explain(cause);
  }
}

/** As {@link readOverrides}, for commands that work without overrides: prints a warning then. */
export async function readOverridesIfPossible(
  config: Config,
  terminal: Terminal,
): Promise<OverrideIndex> {
  try {
    return indexOverrides(await readOverrides(config));
  } catch (cause) {
    if (!(cause instanceof CommandError)) throw cause;
    terminal.err(`Warning: overrides are not applied. ${cause.message}\n`);
    return indexOverrides([]);
  }
}

/** Adds the remedy to errors of the database. Any other error stays as it is. */
function explain(cause: unknown): unknown {
  const fail = (message: string) => new CommandError(message, exitCodes.failed, cause);
  if (cause instanceof AdministrationError) {
    return fail(`${cause.message}\nList them with: wfh accounts list`);
  }
  if (cause instanceof OverridesFullError) {
    return fail(`${cause.message}.\nImport them as a table instead: wfh import places --help`);
  }
  if (cause instanceof OtherKeyError || cause instanceof DiskReserveError)
    return fail(`${cause.message}.`);
  if (cause instanceof StoreError) return fail(`${cause.message}\nCheck WFH_DATABASE_URL.`);
  return cause;
}
