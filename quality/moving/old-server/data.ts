import type { locationResult } from "@wfh/server/contract/location-helper.ts";
import type { ShapeValue } from "@wfh/server/contract/operation.ts";
import { PlaceLookup } from "@wfh/server/domain/location/lookup.ts";
import { builtInGazetteer, openArtifact } from "@wfh/server/gazetteer/format/artifact.ts";
import { gazetteerOf } from "@wfh/server/gazetteer/format/reader.ts";
import { toLocationResult } from "@wfh/server/operations/location.ts";

/** Place of the old server for a postal code. */
export type OldPlace = ShapeValue<typeof locationResult>;

/**
 * Our places as an old server has them: states, countries and continents with IDs of its own, and
 * the cities of Delaware under other names.
 */
export function readOldPlaces(): ReadonlyMap<string, OldPlace> {
  const artifact = openArtifact(builtInGazetteer);
  const lookup = new PlaceLookup(gazetteerOf(artifact), ["US", "CA"]);
  const codes = Array.from(artifact.listKeys(), ([code]) => code);
  const ids = new Map<string, number>();
  const idOf = (name: string) => {
    if (!ids.has(name)) ids.set(name, ids.size + 1);
    return ids.get(name) ?? 0;
  };
  const places = new Map<string, OldPlace>();
  for (const code of codes) {
    const place = lookup.findPlace(code);
    if (place === undefined) continue;
    const { City, State } = toLocationResult(place);
    const { Country } = State ?? {};
    if (State === null || State === undefined || Country === null || Country === undefined)
      continue;
    const { Continent } = Country;
    const city = State.StateAbbreviation === "DE" ? `${City} (old)` : City;
    const continent = Continent && {
      ...Continent,
      Continent_id: idOf(`continent ${Continent.ContinentCode}`),
    };
    places.set(code, {
      City: city,
      State: {
        ...State,
        State_id: idOf(
          `state ${Country.CountryCode}-${State.StateAbbreviation}-${State.StateName}`,
        ),
        Country: {
          ...Country,
          Country_id: idOf(`country ${Country.CountryCode}`),
          Continent: continent,
        },
      },
    });
  }
  return places;
}
