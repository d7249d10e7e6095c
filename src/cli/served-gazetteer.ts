import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { GazetteerFacts } from "../domain/location/gazetteer.ts";
import { builtInGazetteer } from "../gazetteer/format/artifact.ts";
import { readGazetteer } from "../gazetteer/format/reader.ts";
import type { Releases } from "../gazetteer/releases/releases.ts";
import type { Config } from "../server/settings/settings.ts";
import { openConfiguredReleases } from "./gazetteer.ts";

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
