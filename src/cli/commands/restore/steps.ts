import { existsSync } from "node:fs";
import { chown, rename, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { linkOrCopy } from "../../../gazetteer/releases/replace-file.ts";
import { describeFileError, isSystemError } from "../../../lib/file-error.ts";
import type { Config } from "../../../server/settings/settings.ts";
import { addressOf } from "../../../store/database-address.ts";
import { checkDatabaseFile, compareAccounts } from "../../../store/sqlite/backup.ts";
import { StoreError } from "../../../store/store-error.ts";
import { findServedGazetteer } from "../../gazetteer.ts";
import { extract, type OpenArchive, readWhole } from "../backup/archive.ts";
import { type Drafts, publishDraft, withDrafts } from "../backup/draft-files.ts";
import { backupNames } from "../backup/manifest.ts";
import type { BackupProgress } from "../backup/progress.ts";
import type { Place, RestorePlan } from "./plan.ts";
import type { Comparison } from "./reverts.ts";

/** What a restore works with. */
export interface RestoreDeps {
  readonly archive: OpenArchive;
  readonly config: Config;
  readonly progress: BackupProgress;
  /** Whether sessions of the backup go on. */
  readonly keepSessions: boolean;
}

/** What a restore has done. */
export interface Restored {
  /** The names that what was replaced has now. */
  readonly replaced: readonly string[];
  /** null where they were kept, or there is no database in the backup. */
  readonly endedSessions: number | null;
  /** null where there is no database in the backup. */
  readonly comparison: Comparison | null;
}

/** A restore whose drafts are being put in their places. */
interface Step extends RestoreDeps {
  readonly drafts: Drafts;
  /** What stands behind the names of what is replaced. */
  readonly end: string;
}

/**
 * Puts everything in its place, the database last.
 *
 * @throws {Error} when the database is damaged, or a disk does not take it; then nothing has been replaced.
 */
export function applyRestore(plan: RestorePlan, tools: RestoreDeps): Promise<Restored> {
  const end = `.replaced-${new Date().toISOString().replace(/[-:]|\..*/g, "")}Z`;
  return withDrafts(async (drafts) => {
    const step = { ...tools, drafts, end };
    const database = plan.database && (await unpackDatabase(plan.database, step));
    const comparison =
      plan.database && database ? await compare(plan.database.file, database) : null;
    const endedSessions =
      database === null || tools.keepSessions ? null : await endSessions(database);
    const keys = plan.keys && (await unpackKeys(plan.keys, step));
    drafts.commit();
    // First what may still turn out to be unusable: then nothing else has changed.
    const replaced = [
      ...(await placeGazetteer(plan.gazetteer, step)),
      ...(plan.keys && keys ? await settle(keys, plan.keys, end) : []),
      ...(plan.database && database ? await placeDatabase(plan.database, database, end) : []),
    ];
    return { replaced, endedSessions, comparison };
  });
}

/** What a restore would change of accounts; null where there is no database in the backup. Changes nothing. */
export function previewComparison(tools: RestoreDeps): Promise<Comparison | null> {
  const address = addressOf(tools.config.databaseUrl);
  if (tools.archive.manifest.database === null || address.engine !== "SQLite") {
    return Promise.resolve(null);
  }
  const { file } = address;
  // Without a database there is nothing to unpack for.
  if (!existsSync(file)) return compare(file, file);
  return withDrafts(async (drafts) => {
    try {
      const draft = drafts.beside(file);
      await unpack(draft, tools);
      return await compare(file, draft);
    } catch (cause) {
      if (!isSystemError(cause)) throw cause;
      return { reverts: null, unknown: describeFileError(cause.path ?? file, cause) };
    }
  });
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

/** Ends all sessions of a draft, which is brought up to date for it: those that ended since the backup would go on. */
async function endSessions(draft: string): Promise<number> {
  const { openAdministration } = await import("../../../store/store.ts");
  const administration = await openAdministration(`sqlite:${draft}`, Date.now);
  try {
    return await administration.revoke("all", "revoked", Date.now());
  } finally {
    await administration.close();
  }
}

/** The database as a draft beside its place, checked from end to end. */
async function unpackDatabase(
  { file }: Place,
  { archive, drafts, progress }: Step,
): Promise<string> {
  const draft = drafts.beside(file);
  await unpack(draft, { archive, progress });
  progress.show("verifying the database", 0, 1);
  await checkDatabaseFile(draft);
  return draft;
}

async function unpack(
  draft: string,
  { archive, progress }: Pick<RestoreDeps, "archive" | "progress">,
): Promise<void> {
  const total = archive.manifest.database?.bytes ?? 0;
  await extract(archive.read(backupNames.database), draft, (bytes) =>
    progress.show("unpacking the database", bytes, total),
  );
}

/** The keys as a draft beside their place; null where they are there already. */
async function unpackKeys(
  { file, action }: Place,
  { archive, drafts }: Step,
): Promise<string | null> {
  if (action === "keep") return null;
  const draft = drafts.beside(file);
  await extract(archive.read(backupNames.keys), draft, () => {});
  return draft;
}

async function placeGazetteer(
  { action }: Place,
  { archive, config, progress }: Step,
): Promise<readonly string[]> {
  if (action === "keep") return [];
  progress.show("installing the postal codes", 0, 1);
  const bytes = await readWhole(archive.read(backupNames.gazetteer));
  const { releases } = findServedGazetteer(config);
  await releases.change(({ publish }) => publish(bytes));
  return action === "replace" ? [releases.previousFile] : [];
}

async function placeDatabase(place: Place, draft: string, end: string): Promise<readonly string[]> {
  const { file } = place;
  const moved: string[] = [];
  // With another database beside it, the log would be read into that one.
  for (const tail of ["-wal", "-shm"]) {
    if (!existsSync(file + tail)) continue;
    await rename(file + tail, file + end + tail);
    moved.push(file + end + tail);
  }
  return [...moved, ...(await settle(draft, place, end))];
}

/**
 * Puts a draft in its place. What it replaces gets a second name first, so that there is something in the place at any
 * moment; resolves to that name. What the superuser restores belongs to whoever the folder belongs to.
 */
async function settle(
  draft: string,
  { file, action }: Place,
  end: string,
): Promise<readonly string[]> {
  const { uid, gid } = await stat(dirname(file));
  if (process.getuid?.() === 0) await chown(draft, uid, gid);
  const isReplaced = action === "replace";
  if (isReplaced) await linkOrCopy(file, file + end);
  await publishDraft(draft, file, isReplaced);
  return isReplaced ? [file + end] : [];
}
