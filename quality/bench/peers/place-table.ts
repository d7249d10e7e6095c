import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Place } from "@wfh/server/domain/location/place.ts";
import { builtInGazetteer, openArtifact } from "@wfh/server/gazetteer/format/artifact.ts";
import { openGazetteer } from "@wfh/server/gazetteer/format/reader.ts";

/** Every postal code that the product has, in files that the peers read. */
export interface PlaceTable {
  /**
   * Lines by code, with tabs: code, city; id, name, abbreviation, active of the state; id, name,
   * code, alias, active of the country; id, name, code of the continent.
   */
  readonly tsv: string;
  /** The same as PHP, whose processes share constant arrays in memory: places and states. */
  readonly php: string;
}

/** Writes the table of the built-in gazetteer into a folder. */
export function writePlaceTable(folder: string): PlaceTable {
  const places = listPlaces();
  const table = { tsv: join(folder, "places.tsv"), php: join(folder, "places.php") };
  const lines = places.map(([code, { city, state }]) => [code, city, ...factsOf(state)].join("\t"));
  writeFileSync(table.tsv, `${lines.join("\n")}\n`);
  writeFileSync(table.php, renderPhp(places));
  return table;
}

function listPlaces(): readonly (readonly [code: string, place: Place])[] {
  const gazetteer = openGazetteer(builtInGazetteer);
  const codes = Array.from(openArtifact(builtInGazetteer).listKeys(), ([code]) => code);
  return codes.sort().map((code) => {
    const place = gazetteer.findPlace(code, () => 0);
    if (place === undefined) throw new Error(`The gazetteer has no place for its code ${code}`);
    return [code, place];
  });
}

function factsOf({ id, name, abbreviation, active, country }: Place["state"]) {
  const { continent } = country;
  return [
    id,
    name,
    abbreviation,
    active,
    country.id,
    country.name,
    country.code,
    country.alias,
    country.active,
    continent.id,
    continent.name,
    continent.code,
  ];
}

function renderPhp(places: readonly (readonly [code: string, place: Place])[]): string {
  const states = new Map(places.map(([, { state }]) => [state.id, factsOf(state)]));
  const placeLines = places.map(
    ([code, { city, state }]) => `${literal(code)}=>[${literal(city)},${state.id}],`,
  );
  const stateLines = [...states].map(([id, facts]) => `${id}=>[${facts.map(literal).join(",")}],`);
  return `<?php return [[\n${placeLines.join("\n")}\n],[\n${stateLines.join("\n")}\n]];\n`;
}

function literal(value: string | number | boolean): string {
  return typeof value === "string" ? `'${value.replace(/[\\']/g, "\\$&")}'` : String(value);
}
