import { Readable } from "node:stream";
import { setFlagsFromString } from "node:v8";
import type { Artifact } from "../../../gazetteer/format/artifact.ts";
import {
  builtInGazetteer,
  openArtifact,
  readArtifact,
} from "../../../gazetteer/format/artifact.ts";
import {
  type CountryDifference,
  compareArtifacts,
} from "../../../gazetteer/import/compare-artifacts.ts";
import type {
  PublishOptions,
  PublishStep,
  Releases,
} from "../../../gazetteer/releases/releases.ts";
import { CommandError, exitCodes } from "../../exit-codes.ts";
import { openConfiguredReleases, withReleases } from "../../gazetteer.ts";
import { type Meter, openMeter } from "../../io/progress.ts";
import type { Terminal } from "../../io/terminal.ts";
import { readSettings } from "../../settings.ts";
import { nothingChanged } from "./sources.ts";

/** Options of all imports. */
export interface ImportOptions {
  /** Shows what would change, and writes nothing. */
  readonly dryRun?: boolean;
  /** Builds on the built-in artifact instead of the one that is served. */
  readonly fresh?: boolean;
  /** One JSON object instead of tables. */
  readonly json?: boolean;
  /** Nothing but what goes wrong. */
  readonly quiet?: boolean;
  /** All countries in tables, not only those with the most postal codes. */
  readonly all?: boolean;
  readonly config?: string;
}

/** What builds the next artifact is given. */
export interface ImportRun {
  /** The artifact to build on. */
  readonly current: Artifact;
  /** Ends the import with its reason, when somebody presses Ctrl+C. */
  readonly signal: AbortSignal;
  /** A line for people who wait. */
  tell(line: string): void;
  /** A meter for people who wait; close it before the next line. */
  openMeter(verb: string, noun: string): Meter;
}

/** What came of an import. */
export interface ImportOutcome<Report> {
  readonly report: Report;
  /** What is answered differently from before. */
  readonly difference: readonly CountryDifference[];
  readonly after: Artifact;
  /** Where it was written, or would have been. */
  readonly file: string;
}

/** The next artifact, and what there is to tell of it. */
export interface Built<Report> {
  readonly bytes: Uint8Array;
  readonly report: Report;
}

/**
 * Runs an import: builds the next artifact, compares it with what is served, and, unless it is a dry run, puts it in its
 * place. Ctrl+C ends it and leaves nothing behind.
 *
 * @throws {CommandError} when it cannot be done; what was served before still is.
 */
export async function runImport<Report>(
  options: ImportOptions,
  console: Terminal,
  build: (run: ImportRun) => Promise<Built<Report>>,
): Promise<ImportOutcome<Report>> {
  keepMemorySmall();
  const config = readSettings(options.config, console);
  const releases = openConfiguredReleases(config.gazetteer);
  return withReleases(() =>
    interruptible(console, async (signal) => {
      const tell = (line: string) => (options.quiet ? undefined : console.err(`${line}\n`));
      const outcome = async (): Promise<ImportOutcome<Report> & { bytes: Uint8Array }> => {
        const { current, served } = openBase(releases, options.fresh === true);
        const { bytes, report } = await build({
          current,
          signal,
          tell,
          openMeter: (verb, noun) => openOwnMeter(options, console, [verb, noun]),
        });
        signal.throwIfAborted();
        const after = readArtifact(bytes, "just built");
        const difference = compareArtifacts(served, after);
        return { bytes, report, difference, after, file: releases.file };
      };
      if (options.dryRun) return outcome();
      return releases.change(async ({ publish }) => {
        const found = await outcome();
        const onStep = (step: PublishStep) => tell(stepLines[step](releases.file));
        await publish(found.bytes, { onStep, signal } satisfies PublishOptions);
        return found;
      });
    }),
  );
}

/**
 * Keeps the memory of an import down: short-lived objects by the million make V8 take half as much again for them, as long as
 * the machine has it. It costs a few percent of time, and concerns only this process, which ends with the import.
 */
function keepMemorySmall(): void {
  setFlagsFromString("--optimize-for-size");
}

const stepLines: Readonly<Record<PublishStep, (file: string) => string>> = {
  write: (file) => `Writing beside ${file}`,
  verify: () => "Reading it back",
  swap: () => "Putting it in place",
  done: (file) => `Done: ${file}; running servers take it within seconds`,
};

/** What to build on, and what callers get now; the same unless it is to be built anew. */
function openBase(releases: Releases, isFresh: boolean): { current: Artifact; served: Artifact } {
  if (!isFresh) {
    const current = releases.openCurrent();
    return { current, served: current };
  }
  const current = openArtifact(builtInGazetteer);
  try {
    return { current, served: releases.openCurrent() };
  } catch {
    // What cannot be read is answered to nobody: compared with the built-in data, which takes its place.
    return { current, served: current };
  }
}

function openOwnMeter(options: ImportOptions, console: Terminal, [verb, noun]: [string, string]) {
  return openMeter({
    write: options.quiet ? () => {} : console.err,
    isTerminal: process.stderr.isTTY === true,
    nowMs: () => performance.now(),
    verb,
    noun,
  });
}

/** Runs something that Ctrl+C or SIGTERM ends in good order; a second time they end the process. */
async function interruptible<Result>(
  console: Terminal,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const interrupt = () => {
    stopListening();
    controller.abort(new CommandError(`Interrupted. ${nothingChanged}`, exitCodes.interrupted));
    // Whoever waits for a pipe that stays open and silent would not hear of it.
    const { input } = console;
    if (!(input instanceof Readable)) return;
    // An error that nobody listens to ends the process; most imports name their files and read no input.
    input.on("error", () => {});
    input.destroy(controller.signal.reason);
  };
  const names = ["SIGINT", "SIGTERM"] as const;
  const stopListening = () => {
    for (const name of names) process.off(name, interrupt);
  };
  for (const name of names) process.on(name, interrupt);
  try {
    return await run(controller.signal);
  } catch (cause) {
    // Whatever broke because it was interrupted: that it was is what people want to hear.
    throw controller.signal.aborted ? controller.signal.reason : cause;
  } finally {
    stopListening();
  }
}
