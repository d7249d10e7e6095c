import { existsSync } from "node:fs";
import type { ConsoleQueries } from "@wfh/console/database/console-queries.ts";
import {
  indexOverrides,
  type OverrideIndex,
  OverridesFullError,
  type PlaceOverride,
} from "@wfh/server/domain/location/override.ts";
import { decideImport } from "@wfh/server/domain/log-in/accounts/account-import.ts";
import { AdministrationError } from "@wfh/server/domain/log-in/accounts/administration.ts";
import { makeDataDir } from "@wfh/server/server/settings/config.ts";
import type { Config } from "@wfh/server/server/settings/settings.ts";
import type { Administration } from "@wfh/server/store/admin/administration.ts";
import type { AdminDatabase } from "@wfh/server/store/admin/open-admin.ts";
import { databaseAddressOf } from "@wfh/server/store/open-database.ts";
import { DiskReserveError } from "@wfh/server/store/page-requests/disk-reserve.ts";
import { listOverrides } from "@wfh/server/store/place-overrides.ts";
import { OtherKeyError, StoreError } from "@wfh/server/store/store-error.ts";
import type { Command, SharedOptions } from "./command.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { readSettings } from "./settings.ts";
import type { Terminal } from "./terminal.ts";

/** Context of a command that changes accounts, forms, overrides, operators or tokens. */
export interface AdminContext {
  readonly database: ConsoleQueries;
  readonly administration: Administration;
  readonly config: Config;
  readonly terminal: Terminal;
}

/** State that a command needs; without a database, "existing" is an error. */
type DatabaseState = "existing" | "existing or new";

/** Makes an action that opens the database of the settings, runs, and closes it. */
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
  const open = async () => {
    const { openCommandDatabase } = await import("@wfh/console/database/console-database.ts");
    if (state === "existing") return openCommandDatabase(databaseUrl, "write");
    makeDataDir(config);
    const address = databaseAddressOf(databaseUrl);
    const isNew = address.engine === "SQLite" && !existsSync(address.file);
    const database = await openCommandDatabase(databaseUrl, "write", Date.now);
    // Where the address was mistyped, this is the moment to notice.
    if (isNew) terminal.err(`Created a new database: ${address.file}\n`);
    return database;
  };
  return withDatabase(open, ({ queries: database }) =>
    run({ database, administration: database.administration, config, terminal }),
  );
}

/** Context of an import of accounts or forms. */
interface AdminImportContext {
  /** The database as it is; in a dry run nothing is written to it. */
  readonly database: Pick<Administration, "importAccounts" | "listForms">;
  /** null in a dry run. */
  readonly admin: AdminContext | null;
}

/** A database that does not exist yet: everything is new. */
const emptyDatabase: AdminImportContext["database"] = {
  importAccounts: async (accounts, { isOverwriting }) =>
    accounts.map((account) => decideImport(account, null, null, isOverwriting)),
  listForms: async () => [],
};

/**
 * Lets an import work on the settings' database. A dry run creates no database and writes nothing.
 *
 * @throws {CommandError} when the database cannot be opened, or the change is not possible.
 */
export async function withImportContext<Result>(
  config: Config,
  { dryRun }: Pick<SharedOptions, "dryRun">,
  terminal: Terminal,
  run: (context: AdminImportContext) => Promise<Result>,
): Promise<Result> {
  if (!dryRun) {
    const change = (admin: AdminContext) => run({ database: admin.administration, admin });
    return withAdminContext(config, terminal, change, "existing or new");
  }
  return withDatabase(
    ({ findAdmin }) => findAdmin(config.databaseUrl),
    (found) => run({ database: found?.administration ?? emptyDatabase, admin: null }),
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
  read: (database: AdminDatabase, config: Config) => Promise<Result>,
): Promise<Result> {
  const config = readSettings(options.config, terminal);
  return withDatabase(
    ({ openAdmin }) => openAdmin(config.databaseUrl, "read"),
    (database) => read(database, config),
  );
}

type AdminModule = typeof import("@wfh/server/store/admin/open-admin.ts");

/** Opens a database by the module that is loaded for it. */
export type OpenAdmin<Opened = AdminDatabase> = (module: AdminModule) => Promise<Opened>;

/**
 * Opens a database, uses it and closes it.
 *
 * @throws {CommandError} in place of its errors.
 */
export async function withDatabase<Opened extends Pick<AdminDatabase, "close"> | null, Result>(
  open: OpenAdmin<Opened>,
  use: (database: Opened) => Promise<Result>,
): Promise<Result> {
  try {
    // Loaded only here: database drivers are a third of the program, and help does without.
    const database = await open(await import("@wfh/server/store/admin/open-admin.ts"));
    try {
      return await use(database);
    } finally {
      await database?.close();
    }
  } catch (cause) {
    throw explain(cause);
  }
}

/**
 * Reads the database's overrides; none if it does not exist or is older. Does not create it.
 *
 * @throws {CommandError} when it cannot be read.
 */
export function readOverrides({ databaseUrl }: Config): Promise<readonly PlaceOverride[]> {
  return withDatabase(
    ({ findAdmin }) => findAdmin(databaseUrl, "place-overrides"),
    async (database) => (database === null ? [] : listOverrides(database.overrides)),
  );
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
    return fail(
      `${cause.message}.\nImport them as a table instead: wfh places import table --help`,
    );
  }
  if (cause instanceof OtherKeyError || cause instanceof DiskReserveError)
    return fail(`${cause.message}.`);
  if (cause instanceof StoreError) return fail(`${cause.message}\nCheck WFH_DATABASE_URL.`);
  return cause;
}
