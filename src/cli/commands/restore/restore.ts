import { resolve } from "node:path";
import { ReleaseError } from "../../../gazetteer/releases/releases.ts";
import { describeFileError, isSystemError } from "../../../lib/file-error.ts";
import type { Config } from "../../../server/settings/settings.ts";
import { StoreError } from "../../../store/store-error.ts";
import type { DeclareCommand } from "../../command.ts";
import { CommandError, exitCodes } from "../../exit-codes.ts";
import { type Json, renderJsonLine, toPrintable } from "../../io/printable.ts";
import type { Terminal } from "../../io/terminal.ts";
import { readSettings } from "../../settings.ts";
import { type OpenArchive, openArchive } from "../backup/archive.ts";
import { type Manifest, manifestToJson } from "../backup/manifest.ts";
import { openBackupProgress } from "../backup/progress.ts";
import { describeSealed, renderContents } from "../backup/report.ts";
import { planRestore, type RestorePlan } from "./plan.ts";
import { describeReverts, revertsToJson } from "./reverts.ts";
import { applyRestore, previewComparison, type RestoreDeps } from "./steps.ts";

/** Options of `restore`. */
interface RestoreOptions {
  readonly force?: boolean;
  readonly dryRun?: boolean;
  readonly keepSessions?: boolean;
  readonly json?: boolean;
  readonly config?: string;
}

const help = `
Examples:
  wfh restore wfh.tar --dry-run             verify the backup and say what would be done
  wfh restore wfh.tar                       where there is no database yet
  wfh restore wfh.tar --force               put it into the place of the database

Stop the server first: a database that is in use is not touched, whatever you say. With --dry-run
that is said, and the exit code is 1. Everything is verified before anything is changed. What --force
replaces stays beside it, with .replaced- and the time behind its name; delete it when all is well.
An older backup is brought up to date.

All sessions end, because those that ended since the backup would go on: visitors log in again. With
--keep-sessions they stay as they are in the backup. Accounts that were disabled and passwords that were
changed since the backup are as they were before: restore lists them, with what to do.

Run it as the user of the server, so that the files are that user's.
`;

/** `wfh restore`. */
export const declareCommand: DeclareCommand = (command, { terminal: console, exitWith: ended }) => {
  command
    .argument("<file>", "the backup")
    .option("--force", "replace what is there; it is kept beside")
    .option("--keep-sessions", "let the sessions of the backup go on, ended ones too")
    .option("--dry-run", "verify the backup, say what would be done, and change nothing")
    .option("--json", "one JSON object instead of a table and sentences")
    .option("-c, --config <file>", "settings file in TOML")
    .addHelpText("after", help)
    .action(async (file: string, options: RestoreOptions) =>
      ended(await restore(resolve(file), options, console)),
    );
};

async function restore(file: string, options: RestoreOptions, console: Terminal): Promise<number> {
  const config = readSettings(options.config, console);
  const progress = openBackupProgress(process.stderr);
  const archive = await openArchive(file, progress);
  const keepSessions = options.keepSessions === true;
  const tools = { archive, config, progress, keepSessions };
  try {
    if (options.dryRun) return await rehearse({ file, options, console }, tools);
    const plan = await planRestore(archive, config, options.force === true);
    const { replaced, endedSessions, comparison } = await applyRestore(plan, tools);
    progress.close();
    const { manifest } = archive;
    if (options.json) {
      const done = { file, backup: manifestToJson(manifest), plan: toJson(plan), replaced };
      console.out(renderJsonLine({ ...done, endedSessions, ...revertsToJson(comparison) }));
    } else {
      console.out(
        `${describeBackup(file, manifest)}${describePlan(plan, manifest, ["Made", "Replaced"])}${replaced
          .map((name) => `What was there is now ${name}\n`)
          .join(
            "",
          )}${describeSessions(endedSessions)}${describeReverts(comparison, manifest.createdAt)}`,
      );
    }
    return exitCodes.done;
  } catch (cause) {
    throw explain(cause);
  } finally {
    progress.close();
    await archive.close();
  }
}

/** Says what would be done, or what is in the way; either way the backup has been verified. */
async function rehearse(
  parts: {
    readonly file: string;
    readonly options: RestoreOptions;
    readonly console: Terminal;
  },
  tools: RestoreDeps,
): Promise<number> {
  const { archive, config, progress } = tools;
  const { file, options, console } = parts;
  const { manifest } = archive;
  const found = await planOrObstacle(archive, config, options.force === true);
  const comparison = await previewComparison(tools);
  progress.close();
  const { plan, obstacle } = found;
  const endsSessions = comparison !== null && !tools.keepSessions;
  if (options.json) {
    const backup = manifestToJson(manifest);
    const found = { file, backup, plan: plan && toJson(plan), obstacle, endsSessions };
    console.out(renderJsonLine({ ...found, ...revertsToJson(comparison) }));
  } else {
    const outcome =
      plan === null
        ? `In the way: ${obstacle}\n`
        : describePlan(plan, manifest, ["Would make", "Would replace"]);
    const sessions = endsSessions ? "All sessions would end.\n" : "";
    const reverts = describeReverts(comparison, manifest.createdAt);
    console.out(describeBackup(file, manifest) + outcome + sessions + reverts);
  }
  return plan === null ? exitCodes.no : exitCodes.done;
}

async function planOrObstacle(archive: OpenArchive, config: Config, force: boolean) {
  try {
    return { plan: await planRestore(archive, config, force), obstacle: null };
  } catch (cause) {
    if (!(cause instanceof CommandError)) throw cause;
    return { plan: null, obstacle: cause.message };
  }
}

/** A plan is made of texts. */
function toJson(plan: RestorePlan): Json {
  return JSON.parse(JSON.stringify(plan)) as Json;
}

function describeBackup(file: string, manifest: Manifest): string {
  return `${renderContents(manifest)}
${file} of ${manifest.createdAt}, made by version ${toPrintable(manifest.program)}, is whole.
`;
}

function describeSessions(ended: number | null): string {
  if (ended === null) return "";
  return `Ended ${ended.toLocaleString("en-US")} ${ended === 1 ? "session" : "sessions"}: visitors log in again.\n`;
}

function describePlan(
  { database, gazetteer, keys }: RestorePlan,
  manifest: Manifest,
  [made, replaced]: readonly [string, string],
): string {
  const places = [database, gazetteer.action === "keep" ? null : gazetteer, keys];
  const lines = places.flatMap((place) => {
    if (place === null) return [];
    if (place.action === "keep") return [`${place.file} is the same already.`];
    return [`${place.action === "new" ? made : replaced} ${place.file}`];
  });
  if (manifest.gazetteer.isBuiltIn) {
    lines.push("The postal codes were the built-in ones: those of this machine stay as they are.");
  }
  if (keys === null && database !== null) {
    lines.push(
      "The key file is not in the backup: put yours back, or let the server make a new one.",
    );
  }
  return lines.map((line) => `${line}\n`).join("") + describeSealed(manifest);
}

function explain(cause: unknown): unknown {
  if (cause instanceof CommandError) return cause;
  const { code, message } = cause as NodeJS.ErrnoException;
  if (cause instanceof StoreError || cause instanceof ReleaseError || code !== undefined) {
    const reason = isSystemError(cause) ? describeFileError(cause.path ?? "", cause) : message;
    const text = toPrintable(`It could not be restored: ${reason}`);
    const advice = "See what is there now with: wfh doctor";
    return new CommandError(`${text}.\n${advice}`, undefined, cause);
  }
  return cause;
}
