import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Gazetteer, GazetteerFacts } from "@wfh/server/domain/location/gazetteer.ts";
import { limitCountries } from "@wfh/server/domain/location/limit-countries.ts";
import { builtInGazetteer } from "@wfh/server/gazetteer/format/artifact.ts";
import { gazetteerOf, openGazetteer, readGazetteer } from "@wfh/server/gazetteer/format/reader.ts";
import { explainArtifact } from "@wfh/server/gazetteer/gazetteer-checks.ts";
import {
  type LiveGazetteer,
  openLiveGazetteer,
} from "@wfh/server/gazetteer/releases/live-gazetteer.ts";
import {
  ReleaseError,
  type ReleaseHome,
  Releases,
} from "@wfh/server/gazetteer/releases/releases.ts";
import {
  type ReleasePuller,
  SharedReleases,
} from "@wfh/server/gazetteer/releases/shared-releases.ts";
import { formatCount } from "@wfh/server/lib/printable.ts";
import { makeDataDir } from "@wfh/server/server/settings/config.ts";
import { gazetteerName, keyFileOf } from "@wfh/server/server/settings/data-folder.ts";
import type { Config } from "@wfh/server/server/settings/settings.ts";
import { databaseAddressOf } from "@wfh/server/store/open-database.ts";
import { withDatabase } from "./admin-context.ts";
import { CommandError, refuse } from "./exit-codes.ts";
import type { Terminal } from "./terminal.ts";

type GazetteerConfig = Pick<Config, "gazetteer" | "gazetteerReleases" | "databaseUrl" | "keyFile"> &
  Pick<Config, "dataDir">;
/** Settings of which postal codes are served. */
type ServedConfig = GazetteerConfig & Pick<Config, "countries">;

/**
 * The file that imports write and the server reads, given the settings. It need not be there. By
 * default it is beside a SQLite database or the key file: the same for a command in any folder.
 */
function gazetteerFileOf(config: GazetteerConfig): string {
  if (config.gazetteer !== "") return config.gazetteer;
  const address = databaseAddressOf(config.databaseUrl);
  const neighbour = address.engine === "SQLite" ? address.file : keyFileOf(config);
  return join(dirname(neighbour), gazetteerName);
}

/** True when nodes share releases: by default with PostgreSQL (decision 0065). */
export function sharesReleases({ gazetteerReleases, databaseUrl }: GazetteerConfig): boolean {
  return gazetteerReleases === "auto" && databaseAddressOf(databaseUrl).engine === "PostgreSQL";
}

/**
 * Opens the gazetteer of the settings: the database's where nodes share releases, else the set
 * file, else an import's, else the built-in. Has the postal codes of the countries that are served.
 * Prints a warning when the database cannot be read.
 *
 * @throws {CommandError} when it cannot be read.
 */
export async function openConfiguredGazetteer(
  config: ServedConfig,
  terminal: Terminal,
): Promise<Gazetteer> {
  return limitCountries(await openWholeGazetteer(config, terminal), config.countries);
}

async function openWholeGazetteer(config: GazetteerConfig, terminal: Terminal): Promise<Gazetteer> {
  try {
    if (sharesReleases(config)) return gazetteerOf((await openCurrentRelease(config)).artifact);
  } catch (cause) {
    if (!(cause instanceof CommandError)) throw cause;
    terminal.err(`Warning: the postal codes of this machine are used. ${cause.message}\n`);
  }
  const { path } = findServedGazetteer(config);
  try {
    return openGazetteer(path);
  } catch (cause) {
    throw refuse(explainArtifact(path, cause), cause);
  }
}

/** The release that is served, as {@link withReleases} finds it. */
export function openCurrentRelease(config: GazetteerConfig) {
  return withReleases(config, "read", async (releases) => releases.openCurrent());
}

/**
 * Opens the gazetteer for a server that follows what imports do.
 *
 * @param puller where nodes share releases: no missing or damaged file stops the server then.
 * @throws {CommandError} when it cannot be read.
 */
export async function openServedGazetteer(
  config: GazetteerConfig,
  puller?: ReleasePuller,
): Promise<LiveGazetteer> {
  const file = gazetteerFileOf(config);
  try {
    // A file that is set is wanted: other data in its place would be a surprise.
    if (config.gazetteer !== "" && puller === undefined && !existsSync(file)) openGazetteer(file);
    return await openLiveGazetteer(file, puller?.pull);
  } catch (cause) {
    throw refuse(explainArtifact(file, cause), cause);
  }
}

/** The releases of this machine, given the settings. */
export function openConfiguredReleases(config: GazetteerConfig): Releases {
  return new Releases(gazetteerFileOf(config));
}

/**
 * Runs work on the releases that imports change: those of the database where nodes share them.
 *
 * @throws {CommandError} in place of a ReleaseError, and of errors of the database.
 */
export async function withReleases<Result>(
  config: GazetteerConfig,
  access: "read" | "import",
  run: (releases: ReleaseHome) => Promise<Result>,
): Promise<Result> {
  const { databaseUrl } = config;
  const local = openConfiguredReleases(config);
  try {
    if (access === "import") makeDataDir(config);
    if (!sharesReleases(config)) return await run(local);
    const name = databaseAddressOf(databaseUrl).shown;
    return await withDatabase(
      ({ openAdmin, findAdmin }) =>
        access === "import"
          ? openAdmin(databaseUrl, "import", Date.now)
          : findAdmin(databaseUrl, "gazetteer-releases"),
      (database) => {
        if (database === null) return run(local);
        return run(new SharedReleases({ name, source: database.releases, local, now: Date.now }));
      },
    );
  } catch (cause) {
    if (!(cause instanceof ReleaseError)) throw cause;
    throw new CommandError(cause.message, undefined, cause);
  }
}

/** Finds the artifact of this machine: that of the settings, of an import, or the built-in one. */
export function findServedGazetteer(config: GazetteerConfig) {
  const releases = openConfiguredReleases(config);
  const mayBeMissing = config.gazetteer === "" || sharesReleases(config);
  const isBuiltIn = mayBeMissing && !releases.isThere();
  const path = isBuiltIn ? fileURLToPath(builtInGazetteer) : releases.file;
  return { path, isBuiltIn, releases };
}

/**
 * Reads the artifact that is served and checks all of its bytes.
 *
 * @throws {Error} when it cannot be read or is not intact; the message names it.
 */
export async function readServedGazetteer(config: GazetteerConfig) {
  if (sharesReleases(config)) {
    const { artifact, source } = await openCurrentRelease(config);
    const { facts } = gazetteerOf(artifact);
    return { bytes: artifact.bytes, facts, isBuiltIn: source === "built-in" };
  }
  const { path, isBuiltIn } = findServedGazetteer(config);
  const bytes = readFileSync(path);
  return { bytes, facts: readGazetteer(bytes, path).facts, isBuiltIn };
}

/** Describes a gazetteer in a few words: `"44,459 postal codes (CA, US), as of 2026-03-30"`. */
export function describeFacts({
  dataDate,
  postalCodesByCountry,
}: Pick<GazetteerFacts, "dataDate" | "postalCodesByCountry">): string {
  const coverage = nameCountries(Object.keys(postalCodesByCountry));
  const codes = Object.values(postalCodesByCountry).reduce((sum, count) => sum + count, 0);
  const covered = coverage === "" ? "" : ` (${coverage})`;
  return `${formatCount(codes)} postal codes${covered}, as of ${dataDate}`;
}

/** `"CA, US"`, or `"12 countries"` */
export function nameCountries(codes: readonly string[]): string {
  return codes.length > 5 ? `${codes.length} countries` : codes.join(", ");
}
