import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { GazetteerSource } from "../../src/domain/location/gazetteer.ts";
import type { Country, State } from "../../src/domain/location/place.ts";
import { toStateId } from "../../src/domain/location/place.ts";
import { type Artifact, openArtifact, readArtifact } from "../../src/gazetteer/format/artifact.ts";
import { buildGazetteer, joinSections } from "../../src/gazetteer/format/builder.ts";
import { slotBytes } from "../../src/gazetteer/format/layout.ts";
import { gazetteerOf } from "../../src/gazetteer/format/reader.ts";
import { splitSections } from "../../src/gazetteer/format/sections.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const europe = { id: 150, code: "EU", name: "Europe" };

/** Three countries with two states each, `A` and `B`. */
export const sampleCountries: readonly Country[] = [
  { id: 40, code: "AT", alias: "AUT", name: "Austria", continent: europe, active: true },
  { id: 276, code: "DE", alias: "DEU", name: "Germany", continent: europe, active: true },
  { id: 756, code: "CH", alias: "CHE", name: "Switzerland", continent: europe, active: true },
];

/** States of the sample countries. */
export const sampleStates: readonly State[] = sampleCountries.flatMap((country) =>
  ["A", "B"].map((abbreviation) => {
    const id = toStateId(country.id, abbreviation);
    const name = `State ${abbreviation} of ${country.name}`;
    return { id, abbreviation, name, country, active: true };
  }),
);

/** Country and state, key, city, and whether it is custom: `["AT-A", "1010", "Wien"]`. */
export type SampleRow = readonly [state: string, key: string, city: string, custom?: "custom"];

/** Rows as the builder takes them. */
export function toRows(rows: readonly SampleRow[]) {
  return rows.map(([place, key, city, own]) => {
    return { key, city, stateId: sampleState(place).id, isCustom: own === "custom" };
  });
}

/** State by its sample name, such as `"AT-A"`. */
export function sampleState(place: string): State {
  const found = sampleStates.find(
    ({ country, abbreviation }) => `${country.code}-${abbreviation}` === place,
  );
  if (found === undefined) throw new Error(`No state ${place}`);
  return found;
}

/** Bytes of an artifact of the rows. */
export function buildSample(
  rows: readonly SampleRow[],
  sources: readonly GazetteerSource[] = [],
): Uint8Array {
  return buildGazetteer({
    dataDate: "2026-03-30",
    sources,
    countries: sampleCountries,
    states: sampleStates,
    postalCodes: toRows(rows),
  });
}

/** Adds keys that no look-up finds to an artifact, up to `count` slots; its checksum is right. */
export function fillSlots(artifact: Uint8Array, count = Number.POSITIVE_INFINITY): Uint8Array {
  const sections = splitSections(Uint8Array.from(artifact), "sample");
  const { slots } = sections;
  const starts = Array.from({ length: slots.length / slotBytes }, (_, slot) => slot * slotBytes);
  const empty = starts.filter((at) => slots.readUInt32LE(at) === 0);
  const added = Math.max(0, count - (starts.length - empty.length));
  // The first place, under a key that no text has.
  for (const at of empty.slice(0, added)) slots.fill(255, at, at + 8);
  return joinSections(sections);
}

/** An artifact of the rows. */
export function sampleArtifact(
  rows: readonly SampleRow[],
  sources: readonly GazetteerSource[] = [],
): Artifact {
  return readArtifact(buildSample(rows, sources), "sample");
}

/** All places of a key, as text: `"AT-A Wien"`, with a star where they are custom. */
export function placesOf(artifact: Artifact, key: string): readonly string[] {
  return gazetteerOf(artifact)
    .listPlaces(key)
    .map(({ city, state, isCustom }) => {
      return `${state.country.code}-${state.abbreviation} ${city}${isCustom ? "*" : ""}`;
    });
}

/** Path of a gazetteer that is not there, in a folder of its own. */
export function sampleFile(): string {
  return join(temporaryFolder(), "places.gazetteer");
}

/** Names of the files beside a gazetteer, without its own: `["lock", "previous"]`. */
export function filesBeside(file: string): readonly string[] {
  const name = `${basename(file)}.`;
  return readdirSync(dirname(file))
    .filter((found) => found.startsWith(name))
    .map((found) => found.slice(name.length))
    .sort();
}

/** The one place of a key in a file; its city. */
export function cityIn(file: string, key: string): string | undefined {
  return gazetteerOf(openArtifact(file)).findPlace(key, () => 0)?.city;
}
