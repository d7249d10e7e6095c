import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Gazetteer, GazetteerFacts } from "../domain/location/gazetteer.ts";
import { builtInGazetteer } from "../gazetteer/format/artifact.ts";
import { openGazetteer, readGazetteer } from "../gazetteer/format/reader.ts";
import { type LiveGazetteer, openLiveGazetteer } from "../gazetteer/releases/live-gazetteer.ts";
import { ReleaseError, Releases } from "../gazetteer/releases/releases.ts";
import { describeFileError, isSystemError } from "../lib/file-error.ts";
import type { Config } from "../server/settings/settings.ts";
import { CommandError } from "./exit-codes.ts";
import { formatCount } from "./io/printable.ts";

/** Where imports write when no file is set, beside the database of the same case. */
const defaultFile = "./web-forms-helper.gazetteer";

/** The file that imports write and the server reads, given the setting. It need not be there. */
function gazetteerFileOf(setting: string): string {
  return setting === "" ? defaultFile : setting;
}

/**
 * Opens the gazetteer of the settings: the file that is set, else the one that an import has written, else the
 * built-in one.
 *
 * @param setting as the settings have it; `""` where nothing is set.
 * @throws {CommandError} when it cannot be read.
 */
export function openConfiguredGazetteer(setting: string): Gazetteer {
  const file = gazetteerFileOf(setting);
  const isBuiltIn = setting === "" && !existsSync(file);
  try {
    return openGazetteer(isBuiltIn ? builtInGazetteer : file);
  } catch (cause) {
    throw toCommandError(file, cause);
  }
}

/**
 * As {@link openConfiguredGazetteer}, for a server that follows what imports do.
 *
 * @throws {CommandError} when it cannot be read.
 */
export async function openServedGazetteer(setting: string): Promise<LiveGazetteer> {
  const file = gazetteerFileOf(setting);
  try {
    // A file that is set is wanted: other data in its place would be a surprise.
    if (setting !== "" && !existsSync(file)) openGazetteer(file);
    return await openLiveGazetteer(file);
  } catch (cause) {
    throw toCommandError(file, cause);
  }
}

/** The releases that imports change, given the setting. */
export function openConfiguredReleases(setting: string): Releases {
  return new Releases(gazetteerFileOf(setting));
}

/**
 * Runs what works on releases, so that what they complain of ends the command.
 *
 * @throws {CommandError} in place of a ReleaseError.
 */
export async function withReleases<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (cause) {
    if (!(cause instanceof ReleaseError)) throw cause;
    throw new CommandError(cause.message, undefined, cause);
  }
}

function toCommandError(file: string, cause: unknown): CommandError {
  const message = cause instanceof Error ? cause.message : String(cause);
  const reason = isSystemError(cause) ? `${describeFileError(file, cause)}.` : message;
  const advice =
    "Check WFH_GAZETTEER, return to the previous data (wfh import rollback), or import it again.";
  return new CommandError(`${reason}\n${advice}`, undefined, cause);
}

/** The artifact that a server with some settings serves. */
export interface ServedGazetteer {
  readonly path: string;
  readonly isBuiltIn: boolean;
  /** Where imports and restores put theirs. */
  readonly releases: Releases;
}

/** Finds the artifact that is served: the file of the settings, else the one of an import, else the built-in one. */
export function findServedGazetteer({ gazetteer }: Pick<Config, "gazetteer">): ServedGazetteer {
  const releases = openConfiguredReleases(gazetteer);
  const isBuiltIn = gazetteer === "" && !releases.isThere();
  const path = isBuiltIn ? fileURLToPath(builtInGazetteer) : releases.file;
  return { path, isBuiltIn, releases };
}

/**
 * Reads an artifact and checks all of its bytes.
 *
 * @throws {Error} when it cannot be read or is not intact; the message names it.
 */
export function readServedGazetteer(path: string): {
  readonly bytes: Uint8Array;
  readonly facts: GazetteerFacts;
} {
  const bytes = readFileSync(path);
  return { bytes, facts: readGazetteer(bytes, path).facts };
}

/** What is in a gazetteer, in a few words: `"42,745 postal codes (US), as of 2026-03-11"`. */
export function describeFacts({
  dataDate,
  postalCodesByCountry,
}: Pick<GazetteerFacts, "dataDate" | "postalCodesByCountry">): string {
  const countries = Object.keys(postalCodesByCountry);
  const coverage = countries.length > 5 ? `${countries.length} countries` : countries.join(", ");
  const codes = Object.values(postalCodesByCountry).reduce((sum, count) => sum + count, 0);
  const covered = coverage === "" ? "" : ` (${coverage})`;
  return `${formatCount(codes)} postal codes${covered}, as of ${dataDate}`;
}
