import { resolve } from "node:path";
import { countOf, formatCount, renderJsonLine, toPrintable } from "@wfh/server/lib/printable.ts";
import { databaseAddressOf } from "@wfh/server/store/open-database.ts";
import type { AccountReverts } from "@wfh/server/store/sqlite/copy-and-check-process.ts";
import type { Command, DeclareCommand, SharedOptions } from "../../io/command.ts";
import { CommandError, exitCodes } from "../../io/exit-codes.ts";
import { firstLines } from "../../io/report.ts";
import { readSettings } from "../../io/settings.ts";
import { explainFailure, openBackup, openByteProgress } from "../backup/backup-folder.ts";
import { type Manifest, renderContents } from "../backup/manifest.ts";
import {
  applyRestore,
  type Comparison,
  planRestore,
  previewComparison,
  type RestoreDeps,
  type RestorePlan,
} from "./apply.ts";

interface RestoreOptions extends SharedOptions {
  readonly force?: boolean;
  readonly keepSessions?: boolean;
}

const help = `
Examples:
  wfh restore wfh-2026-11-21 --dry-run      verify the backup and preview the restore
  wfh restore wfh-2026-11-21                restore where there is no database yet
  wfh restore wfh-2026-11-21 --force        replace the database

Stop the server first: restore refuses to touch a database in use. With --dry-run it reports this
too, with exit code 1. Everything is verified before anything is changed. Replaced files are kept as
<name>.replaced-<time>; delete them once the server works. A backup of an older version is migrated.
Run restore as the server's user, so that the files belong to that user.

All sessions end, because sessions that ended after the backup would become valid again. Visitors
have to log in once more. Use --keep-sessions to keep the sessions of the backup. Accounts disabled
and passwords changed after the backup are reverted too: restore lists them and says what to do.
`;

/** `wfh restore`. */
export const declareCommand: DeclareCommand = (command) =>
  command
    .argument("<folder>", "backup to restore")
    .option("--force", "replace existing files, which are kept as <name>.replaced-<time>")
    .option("--keep-sessions", "keep the sessions of the backup, even those that ended after it")
    .option("--dry-run", "verify the backup and show what would change without writing anything")
    .shared("json", "config")
    .addHelpText("after", help)
    .run(restore);

async function restore(path: string, options: RestoreOptions, { terminal }: Command) {
  const folder = resolve(path);
  const config = readSettings(options.config, terminal);
  const progress = openByteProgress(terminal);
  const backup = await openBackup(folder, progress.show);
  const keepSessions = options.keepSessions === true;
  const deps = { backup, config, onProgress: progress.show, keepSessions };
  const run = options.dryRun ? rehearse : perform;
  try {
    const { json, text, exitCode } = await run(deps, options.force === true);
    progress.close();
    const { manifest } = backup;
    terminal.out(
      options.json
        ? renderJsonLine({ folder, backup: manifest, ...json })
        : `${describeBackup(folder, manifest)}${text}`,
    );
    return exitCode;
  } catch (cause) {
    throw explainFailure(cause, databaseAddressOf(config.databaseUrl).shown, "The restore failed");
  } finally {
    progress.close();
  }
}

async function perform(deps: RestoreDeps, force: boolean) {
  const { manifest } = deps.backup;
  const plan = await planRestore(deps.backup, deps.config, force);
  const { replaced, endedSessions, comparison } = await applyRestore(plan, deps);
  const text = [
    describePlan(plan, manifest, { new: "Created", replace: "Replaced" }),
    ...replaced.map((name) => `The replaced file is now ${name}\n`),
    endedSessions === null
      ? ""
      : `Ended ${countOf(endedSessions, "session")}: visitors have to log in again.\n`,
    describeReverts(comparison, manifest.createdAt),
  ].join("");
  const json = { plan, replaced, endedSessions, ...revertsToJson(comparison) };
  return { json, text, exitCode: exitCodes.done };
}

/** Shows what would be done, or what is in the way; either way the backup has been verified. */
async function rehearse(deps: RestoreDeps, force: boolean) {
  const { manifest } = deps.backup;
  const { plan, obstacle } = await planOrObstacle(deps, force);
  const comparison = await previewComparison(deps);
  const endsSessions = comparison !== null && !deps.keepSessions;
  const text = [
    plan === null
      ? `The restore is not possible: ${obstacle}\n`
      : describePlan(plan, manifest, { new: "Would create", replace: "Would replace" }),
    endsSessions ? "All sessions would end.\n" : "",
    describeReverts(comparison, manifest.createdAt),
  ].join("");
  const json = { plan, obstacle, endsSessions, ...revertsToJson(comparison) };
  return { json, text, exitCode: plan === null ? exitCodes.no : exitCodes.done };
}

async function planOrObstacle({ backup, config }: RestoreDeps, force: boolean) {
  try {
    return { plan: await planRestore(backup, config, force), obstacle: null };
  } catch (cause) {
    if (!(cause instanceof CommandError)) throw cause;
    return { plan: null, obstacle: cause.message };
  }
}

function revertsToJson(comparison: Comparison | null) {
  return { reverts: comparison?.reverts ?? null, notCompared: comparison?.unknown ?? null };
}

function describeBackup(folder: string, manifest: Manifest): string {
  return `${renderContents(manifest)}
${folder} of ${manifest.createdAt}, made by version ${toPrintable(manifest.program)}, is intact.
`;
}

function describePlan(
  { database, gazetteer, keys }: RestorePlan,
  manifest: Manifest,
  verbs: Readonly<Record<"new" | "replace", string>>,
): string {
  const targets = [database, gazetteer.action === "keep" ? null : gazetteer, keys];
  const lines = targets.flatMap((target) => {
    if (target === null) return [];
    const { file, action } = target;
    return action === "keep" ? `${file} is already the same.` : `${verbs[action]} ${file}`;
  });
  if (manifest.gazetteer.isBuiltIn) {
    lines.push("The backup contains only the built-in postal codes: those of this machine stay.");
  }
  if (keys === null && database !== null) {
    lines.push(
      "The backup does not include the key file: put yours back, or let the server create a new one.",
    );
  }
  return lines.map((line) => `${line}\n`).join("");
}

/** Changes to accounts with advice on each, the most urgent first. */
const meanings: Readonly<Record<keyof AccountReverts, readonly [what: string, advice: string]>> = {
  enabled: [
    "Accounts that can log in again, disabled since the backup",
    "Disable them again: wfh accounts disable <name>",
  ],
  passwords: [
    "Accounts with their old password, changed since the backup",
    "Set a new one: wfh accounts passwd <name>",
  ],
  gone: [
    "Accounts that are lost, added since the backup",
    "Add or import them again: wfh accounts add <name>, wfh accounts import",
  ],
  back: [
    "Accounts that are back, removed since the backup",
    "Disable them: wfh accounts disable <name>",
  ],
};

/**
 * Describes for people how a restore changes accounts; `""` without a comparison.
 *
 * @param createdAt when the backup was begun.
 */
function describeReverts(comparison: Comparison | null, createdAt: string): string {
  if (comparison === null) return "";
  const { reverts, unknown } = comparison;
  if (reverts === null) {
    return `Cannot tell which accounts and passwords revert: ${toPrintable(unknown)}.
Accounts disabled and passwords changed since ${createdAt} return to their state at that time: disable or change them again.
`;
  }
  const lines = (Object.keys(meanings) as (keyof AccountReverts)[]).flatMap((key) => {
    const { count, names } = reverts[key];
    if (count === 0) return [];
    const [what, advice] = meanings[key];
    const shown = firstLines(names.map(toPrintable), names.length, "", count).join(", ");
    return [`${what} (${formatCount(count)}): ${shown}\n  ${advice}\n`];
  });
  return lines.length > 0 ? lines.join("") : "No accounts or passwords revert.\n";
}
