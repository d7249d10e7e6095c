import { setFlagsFromString } from "node:v8";
import {
  type Artifact,
  builtInGazetteer,
  openArtifact,
  readArtifact,
} from "@wfh/server/gazetteer/format/artifact.ts";
import type { PublishStep, ReleaseHome } from "@wfh/server/gazetteer/releases/releases.ts";
import type { Config } from "@wfh/server/server/settings/settings.ts";
import type { GazetteerImportContext, Imported } from "../../imports/build-on.ts";
import { type CountryDifference, compareArtifacts } from "../../imports/compare-artifacts.ts";
import type { Command, SharedOptions } from "../../io/command.ts";
import { CommandError, describeFileFailure, exitCodes } from "../../io/exit-codes.ts";
import { withReleases } from "../../io/gazetteer.ts";
import { formatInstant } from "../../io/options.ts";
import { Progress } from "../../io/progress.ts";
import { readSettings } from "../../io/settings.ts";
import { interruptible, type Terminal } from "../../io/terminal.ts";

/** Options of all imports. */
export interface ImportOptions extends SharedOptions {
  /** Builds on the built-in artifact instead of the one that is served. */
  readonly fresh?: boolean;
  /** Takes the place of WFH_GEONAMES_URL. */
  readonly from?: string;
}

/** Adds the options of all imports. */
export function addImportOptions(command: Command): Command {
  return command
    .shared("dryRun")
    .option("--fresh", "build on the built-in data instead of the current data")
    .shared("json", "quiet")
    .option("--all", "show all countries, not only those with the most postal codes")
    .shared("config");
}

/** Context in which an import builds the next artifact. */
export interface ImportRun extends GazetteerImportContext {
  readonly config: Config;
  /** Shows people which step begins. */
  readonly showStep: (line: string) => void;
}

/** Result of an import. */
export interface GazetteerImportOutcome<Report> {
  readonly report: Report;
  /** Look-ups that change. */
  readonly difference: readonly CountryDifference[];
  readonly after: Artifact;
  /** Where it was written, or would have been: a file, or the address of a database. */
  readonly file: string;
  /** True when nothing was imported, because the data is the current one. */
  readonly unchanged: boolean;
}

/** Bytes of free memory from which an import is fast: all countries take 1.2 GB of it. */
const ampleMemory = 4 * 2 ** 30;

/** Ends the message of every import that fails. */
export const nothingChanged = "Nothing was changed: the server keeps using the previous data.";

/**
 * Runs an import: builds the next artifact, compares it with the served one, and publishes it
 * unless this is a dry run or nothing has changed. Ctrl+C ends it and leaves nothing behind.
 *
 * @param check throws when the outcome may not be published; `served` is what it would replace.
 * @throws {CommandError} when it fails; what was served before still is.
 */
export function runImport<Report>(
  options: ImportOptions,
  terminal: Terminal,
  build: (run: ImportRun) => Promise<Imported<Report>>,
  check: (outcome: GazetteerImportOutcome<Report>, served: Artifact) => void = () => {},
): Promise<GazetteerImportOutcome<Report>> {
  // V8 then takes a third less memory, but collects so often that it takes four times as long.
  if (process.availableMemory() < ampleMemory) setFlagsFromString("--optimize-for-size");
  const { quiet, from } = options;
  const given = from === undefined ? {} : { WFH_GEONAMES_URL: from };
  const config = readSettings(options.config, terminal, given);
  const progress = new Progress(terminal, { verb: "Reading", noun: "rows", quiet });
  const showStep = (line: string) => {
    progress.close();
    if (!quiet) terminal.err(`${line}\n`);
  };
  const onRows = (rows: number, share: number | undefined) => progress.update(rows, share);
  const run = async (releases: ReleaseHome, signal: AbortSignal) => {
    const { current, builtIn, served } = await openBase(releases, options.fresh === true);
    const importedAt = formatInstant(Date.now());
    const { bytes, report } = await explain(() =>
      build({ current, builtIn, config, importedAt, signal, onRows, showStep }),
    ).finally(() => progress.close());
    signal.throwIfAborted();
    const after = readArtifact(bytes, "just built");
    const difference = compareArtifacts(served, after);
    const unchanged = bytes === current.bytes;
    const outcome = { report, difference, after, file: releases.name, unchanged };
    check(outcome, served);
    return { bytes, outcome };
  };
  return withReleases(config, options.dryRun ? "read" : "import", (releases) =>
    interruptible(terminal, `Interrupted. ${nothingChanged}`, async (signal) => {
      if (options.dryRun) return (await run(releases, signal)).outcome;
      return releases.change(async ({ publish }) => {
        const { bytes, outcome } = await run(releases, signal);
        if (outcome.unchanged) return outcome;
        const onStep = (step: PublishStep) => showStep(stepLines[step](releases.name));
        await publish(bytes, { onStep, signal });
        return outcome;
      });
    }),
  );
}

const stepLines: Readonly<Record<PublishStep, (file: string) => string>> = {
  write: (file) => `Writing it to ${file}`,
  verify: () => "Verifying it",
  swap: () => "Putting it in place",
  done: (file) => `Done: ${file}; running servers load it within seconds`,
};

/** The artifact to build on, and the one that callers see now. */
async function openBase(releases: ReleaseHome, isFresh: boolean) {
  const builtIn = openArtifact(builtInGazetteer);
  try {
    const { artifact: served } = await releases.openCurrent();
    return { builtIn, served, current: isFresh ? builtIn : served };
  } catch (cause) {
    if (!isFresh) throw cause;
    // Unreadable data is not served either: compare with the built-in data in its place.
    return { builtIn, served: builtIn, current: builtIn };
  }
}

/** Ends every error about a file with the news that nothing was changed. */
async function explain<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (cause) {
    const message = describeFileFailure(cause);
    if (message === undefined) throw cause;
    throw new CommandError(`${message}\n${nothingChanged}`, exitCodes.failed, cause);
  }
}
