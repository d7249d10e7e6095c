import { existsSync, readFileSync } from "node:fs";
import { chown, rename, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { linkOrCopy } from "@wfh/server/gazetteer/releases/replace-file.ts";
import { makeDataDir } from "@wfh/server/server/settings/config.ts";
import { keyFileOf } from "@wfh/server/server/settings/data-folder.ts";
import type { Config } from "@wfh/server/server/settings/settings.ts";
import { newestSchemaVersion } from "@wfh/server/store/migrate.ts";
import { databaseAddressOf } from "@wfh/server/store/open-database.ts";
import {
  checkDatabaseFile,
  compareAccounts,
  isDatabaseInUse,
} from "@wfh/server/store/sqlite/copy-and-check.ts";
import type { AccountReverts } from "@wfh/server/store/sqlite/copy-and-check-process.ts";
import { StoreError } from "@wfh/server/store/store-error.ts";
import { CommandError } from "../../io/exit-codes.ts";
import { openConfiguredReleases, sharesReleases, withReleases } from "../../io/gazetteer.ts";
import {
  type Backup,
  type OnProgress,
  readCounted,
  writeNewFile,
} from "../backup/backup-folder.ts";
import { type Drafts, publishDraft, requirePlace, withDrafts } from "../backup/drafts.ts";
import type { Manifest } from "../backup/manifest.ts";

/** File to restore, and the fate of the present one. A type, so that it can be printed as JSON. */
type Target = {
  readonly file: string;
  /** `keep`: the present file is the same, or fits better. */
  readonly action: "new" | "replace" | "keep";
};

/** Target of each part; null for what is not in the backup. */
export type RestorePlan = {
  readonly database: Target | null;
  readonly gazetteer: Target;
  readonly keys: Target | null;
};

/**
 * Decides what goes where.
 *
 * @param force whether present files may be replaced.
 * @throws {CommandError} when something is in the way.
 */
export function planRestore(backup: Backup, config: Config, force: boolean): RestorePlan {
  const { manifest } = backup;
  return {
    database: manifest.database && planDatabase(manifest.database, config, force),
    gazetteer: planGazetteer(backup, config),
    keys: manifest.keys && planKeys(backup, config, force),
  };
}

function planDatabase(
  { schemaVersion }: NonNullable<Manifest["database"]>,
  config: Config,
  force: boolean,
): Target {
  const address = databaseAddressOf(config.databaseUrl);
  if (address.engine !== "SQLite") {
    throw new CommandError(
      `The backup contains a SQLite database, but WFH_DATABASE_URL is ${address.shown}.\nSet WFH_DATABASE_URL=sqlite:<file>. Nothing was changed.`,
    );
  }
  const { file } = address;
  if (schemaVersion > newestSchemaVersion) {
    throw new CommandError(
      `The backup has schema version ${schemaVersion}, but this program supports only ${newestSchemaVersion}.\nRestore it with the program that made it, or a newer one. Nothing was changed.`,
    );
  }
  makeDataDir(config);
  requirePlace(file);
  if (!existsSync(file)) {
    if (!existsSync(`${file}-wal`) || force) return { file, action: "new" };
    throw new CommandError(
      `The write-ahead log ${file}-wal exists without its database.\nPut the database back, or use --force to move the log away. Nothing was changed.`,
    );
  }
  if (isDatabaseInUse(file)) {
    throw new CommandError(
      `The database ${file} is in use.\nStop the server and any other program that has it open, then try again. Nothing was changed.`,
    );
  }
  if (force) return { file, action: "replace" };
  throw new CommandError(
    `The database ${file} already exists.\nUse --force to replace it; the old one is kept beside it. Nothing was changed.`,
  );
}

/** Only an imported artifact is restored: the built-in one belongs to the program. */
function planGazetteer(backup: Backup, config: Config): Target {
  const { file } = openConfiguredReleases(config);
  const isBuiltIn = backup.manifest.gazetteer.isBuiltIn;
  if (sharesReleases(config)) {
    const shared = databaseAddressOf(config.databaseUrl).shown;
    return { file: shared, action: isBuiltIn ? "keep" : "replace" };
  }
  if (isBuiltIn) return { file, action: "keep" };
  return { file, action: compareFiles(backup.pathOf("gazetteer"), file) };
}

function planKeys(backup: Backup, config: Config, force: boolean): Target {
  const file = resolve(keyFileOf(config));
  const action = compareFiles(backup.pathOf("keys"), file);
  if (action !== "replace" || force) return { file, action };
  throw new CommandError(
    `The key file ${file} exists and has another key.\nUse --force to replace it; the old one is kept beside it. Nothing was changed.`,
  );
}

function compareFiles(restored: string, present: string): Target["action"] {
  if (!existsSync(present)) return "new";
  return readFileSync(restored).equals(readFileSync(present)) ? "keep" : "replace";
}

/** Changes of a restore to accounts, or the reason why they are unknown. */
export type Comparison =
  | { readonly reverts: AccountReverts; readonly unknown: null }
  | { readonly reverts: null; readonly unknown: string };

/** Backup, settings and options of a restore. */
export interface RestoreDeps {
  readonly backup: Backup;
  readonly config: Config;
  readonly onProgress: OnProgress;
  readonly keepSessions: boolean;
}

/** A restored file that is not in its place yet. */
interface Prepared {
  readonly draft: string;
  readonly target: Target;
}

/**
 * Puts everything in its place, the database last.
 *
 * @throws {Error} when the database is damaged, or a disk is full; then nothing has been replaced.
 */
export function applyRestore(plan: RestorePlan, deps: RestoreDeps) {
  const suffix = `.replaced-${new Date().toISOString().replace(/[-:]|\..*/g, "")}Z`;
  return withDrafts(async (drafts) => {
    const database = plan.database && (await prepareDatabase(plan.database, deps, drafts));
    const keys = plan.keys && (await prepareKeys(plan.keys, deps, drafts));
    drafts.commit();
    // First what may still turn out to be unusable: then nothing else has changed.
    const replaced = [
      ...(await installGazetteer(plan.gazetteer, deps)),
      ...(keys === null ? [] : await place(keys, suffix)),
      ...(database === null ? [] : await moveLogs(database.target.file, suffix)),
      ...(database === null ? [] : await place(database, suffix)),
    ];
    // Without a database in the backup there are neither, and sessions may be kept.
    const { endedSessions = null, comparison = null } = database ?? {};
    return { replaced, endedSessions, comparison };
  });
}

async function prepareDatabase(target: Target, deps: RestoreDeps, drafts: Drafts) {
  const draft = drafts.beside(target.file);
  await copyOut(draft, deps);
  deps.onProgress("verifying the database", 0, 1);
  await checkDatabaseFile(draft);
  const comparison = await compare(target.file, draft);
  const endedSessions = deps.keepSessions ? null : await endSessions(draft);
  return { draft, target, comparison, endedSessions };
}

/** null where the present file is the same. */
async function prepareKeys(
  target: Target,
  { backup }: RestoreDeps,
  drafts: Drafts,
): Promise<Prepared | null> {
  if (target.action === "keep") return null;
  const draft = drafts.beside(target.file);
  await writeNewFile(draft, readFileSync(backup.pathOf("keys")));
  return { draft, target };
}

async function installGazetteer(
  { action }: Target,
  { backup, config, onProgress }: RestoreDeps,
): Promise<readonly string[]> {
  if (action === "keep") return [];
  onProgress("installing the postal codes", 0, 1);
  const bytes = readFileSync(backup.pathOf("gazetteer"));
  await withReleases(config, "import", (releases) =>
    releases.change(({ publish }) => publish(bytes)),
  );
  const isFile = action === "replace" && !sharesReleases(config);
  return isFile ? [openConfiguredReleases(config).previousFile] : [];
}

/** Compares accounts without changing them; null where the backup has no database. */
export async function previewComparison(deps: RestoreDeps): Promise<Comparison | null> {
  const address = databaseAddressOf(deps.config.databaseUrl);
  if (deps.backup.manifest.database === null || address.engine !== "SQLite") return null;
  return compare(address.file, deps.backup.pathOf("database"));
}

async function copyOut(draft: string, { backup, onProgress }: RestoreDeps): Promise<void> {
  const total = backup.manifest.database?.bytes ?? 0;
  const onBytes = (bytes: number) => onProgress("copying the database", bytes, total);
  await writeNewFile(draft, readCounted(backup.pathOf("database"), onBytes));
}

async function compare(current: string, restored: string): Promise<Comparison> {
  if (!existsSync(current)) return { reverts: null, unknown: `there is no database ${current}` };
  try {
    return { reverts: await compareAccounts(current, restored), unknown: null };
  } catch (cause) {
    if (!(cause instanceof StoreError)) throw cause;
    return { reverts: null, unknown: `${current} cannot be read, ${cause.message}` };
  }
}

/** Migrates a draft and ends all its sessions: those ended since the backup would go on. */
async function endSessions(draft: string): Promise<number> {
  const { openAdmin } = await import("@wfh/server/store/admin/open-admin.ts");
  const database = await openAdmin(`sqlite:${draft}`, "write", Date.now);
  try {
    return await database.administration.revoke("all", "revoked", Date.now());
  } finally {
    await database.close();
  }
}

/** Moves logs of the old database away, which SQLite would read. Resolves to their new names. */
async function moveLogs(database: string, suffix: string): Promise<readonly string[]> {
  const logs = ["-wal", "-shm"].filter((end) => existsSync(database + end));
  for (const end of logs) await rename(database + end, database + suffix + end);
  return logs.map((end) => database + suffix + end);
}

/**
 * Puts a draft in its place. What it replaces gets a second name first, so the place is never
 * empty; resolves to that name. What the superuser restores belongs to the folder's owner.
 */
async function place({ draft, target }: Prepared, suffix: string): Promise<readonly string[]> {
  const { file, action } = target;
  const { uid, gid } = await stat(dirname(file));
  if (process.getuid?.() === 0) await chown(draft, uid, gid);
  const isReplaced = action === "replace";
  if (isReplaced) await linkOrCopy(file, file + suffix);
  await publishDraft(draft, file, isReplaced);
  return isReplaced ? [file + suffix] : [];
}
