import type { Gazetteer, ListedPlace } from "../../domain/location/gazetteer.ts";
import type { Place, PlaceDetail } from "../../domain/location/place.ts";
import { type Artifact, openArtifact, readArtifact } from "./artifact.ts";
import { unknownDetail } from "./details.ts";
import { highBit } from "./layout.ts";

/**
 * Opens an artifact: keeps the file in one buffer. Takes milliseconds, even with millions of codes.
 *
 * @throws {Error} when the file cannot be read or is not an intact artifact; the message names it.
 *
 * @example
 * const gazetteer = openGazetteer(builtInGazetteer);
 * gazetteer.findPlace("10001", () => 0)?.city; // "New York"
 */
export function openGazetteer(file: string | URL): Gazetteer {
  return gazetteerOf(openArtifact(file));
}

/**
 * Gazetteer over the bytes of an artifact, which it keeps and never copies.
 *
 * @throws {Error} when they are not an intact artifact; the message calls them `name`.
 */
export function readGazetteer(bytes: Uint8Array, name: string): Gazetteer {
  return gazetteerOf(readArtifact(bytes, name));
}

/** Gazetteer over an artifact. */
export function gazetteerOf(artifact: Artifact): Gazetteer {
  const { countries, states, cityOf, stateOf, isCustom } = artifact;
  const { standardStates: _, ...facts } = artifact.facts;
  const counts = Object.values(facts.postalCodesByCountry);
  const statesOf = Map.groupBy(states, ({ country }) => country.id);

  function readPlace(place: number): Place {
    return { city: cityOf(place), state: stateOf(place) };
  }

  function toListed(place: number, { coordinates, county }: PlaceDetail): ListedPlace {
    const isOwn = isCustom(place);
    return { city: cityOf(place), state: stateOf(place), isCustom: isOwn, coordinates, county };
  }

  return {
    facts: {
      ...facts,
      postalCodeCount: counts.reduce((sum, count) => sum + count, 0),
      countryCount: countries.length,
      stateCount: states.length,
    },
    findPlace(key, rankOf) {
      const value = artifact.findValue(key);
      if (value === -1) return undefined;
      if (value >= highBit) {
        const number = artifact.findPreferred(value, (country) =>
          rankOf(countries[country]?.code ?? ""),
        );
        return number === -1 ? undefined : readPlace(number);
      }
      const place = readPlace(value);
      return rankOf(place.state.country.code) === Number.POSITIVE_INFINITY ? undefined : place;
    },
    listPlaces(key) {
      const value = artifact.findValue(key);
      if (value === -1) return [];
      const details = artifact.detailsOf(key);
      // Nearly all keys have one place.
      if (value < highBit) return [toListed(value, details[0] ?? unknownDetail)];
      const { preferred, others } = artifact.placesOf(value);
      return inOrder(
        [...preferred, ...others].map((place, at) => toListed(place, details[at] ?? unknownDetail)),
      );
    },
    *listKeys() {
      for (const [key] of artifact.listKeys()) yield key;
    },
    *listCodes() {
      for (const [key, value] of artifact.listKeys()) {
        const details = artifact.detailsOf(key);
        for (const [at, place] of artifact.placesOf(value).preferred.entries()) {
          const coordinates = details[at]?.coordinates ?? null;
          if (coordinates === null) continue;
          yield { key, countryCode: stateOf(place).country.code, coordinates };
        }
      }
    },
    listCountries: () => countries,
    listStates: (countryId) => statesOf.get(countryId) ?? [],
  };
}

/** Places by country; a custom place replaces the same imported one, and takes its details. */
function inOrder(places: readonly ListedPlace[]): readonly ListedPlace[] {
  if (places.length < 2) return places;
  const byCountry = Map.groupBy(places, ({ state }) => state.country.code);
  const byName = new Map<string, ListedPlace>();
  for (const place of [...byCountry.values()].flat()) {
    const name = `${place.state.id} ${place.city}`;
    const first = byName.get(name) ?? place;
    const { coordinates, county } = place;
    byName.set(name, {
      ...first,
      coordinates: first.coordinates ?? coordinates,
      county: first.county ?? county,
    });
  }
  return [...byName.values()];
}
