import type { State } from "@wfh/server/domain/location/place.ts";
import { builtInGazetteer } from "@wfh/server/gazetteer/format/artifact.ts";
import { openGazetteer } from "@wfh/server/gazetteer/format/reader.ts";
import type { GazetteerImportContext } from "../src/imports/build-on.ts";
import { readGeoNames } from "../src/imports/geonames/import-geonames.ts";
import type { StandardPlaces } from "../src/imports/standard-places.ts";
import { InputFile } from "../src/rows/input-file.ts";

const gazetteer = openGazetteer(builtInGazetteer);
const countries = gazetteer.listCountries();

/** Countries and states of the built-in gazetteer. */
export const known: StandardPlaces = {
  countries,
  states: countries.flatMap(({ id }) => gazetteer.listStates(id)),
};

/** Makes a row of country, code and place; then names and codes of levels; and coordinates. */
export function toRow(start: string, levels: readonly string[] = [], at = "0\t0"): string {
  const [name = "", code = "", ...others] = levels;
  const columns = [...start.split("|"), name, code, ...others, "", "", "", ""].slice(0, 9);
  return `${columns.join("\t")}\t${at}\t4`;
}

/** Result of an import of rows; places as `"10115 Berlin, BE DE"`. */
export async function importRows(
  rows: readonly string[],
  options?: Partial<GazetteerImportContext>,
  places = known,
) {
  async function* bytes(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(`${rows.join("\n")}\n`);
  }
  const found = await readGeoNames([InputFile.fromStream("rows.txt", bytes())], places, options);
  const states = [...places.states, ...found.newStates];
  const byId = new Map<number, State>(states.map((state) => [state.id, state]));
  const texts = [...found.postalCodes].map(({ key, city, stateId }) => {
    const state = byId.get(stateId);
    return `${key} ${city}, ${state?.abbreviation || state?.name} ${state?.country.code}`;
  });
  return { ...found, places: texts };
}
