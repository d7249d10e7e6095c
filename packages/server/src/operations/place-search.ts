import type { placeSearchResources } from "../contract/place-search-resources.ts";
import { checkPlace } from "../domain/location/check-place.ts";
import type { Gazetteer } from "../domain/location/gazetteer.ts";
import type { PlaceLookup } from "../domain/location/lookup.ts";
import type { Country, State } from "../domain/location/place.ts";
import { foldPlaceName, listStateNames } from "../domain/location/place-name.ts";
import { PlaceSearch } from "../domain/location/place-search.ts";
import type { CallContext } from "./operation-handler.ts";
import type { ApiHandlers, Translation } from "./translation.ts";

const defaultLimit = 8;

/** Collaborators of the resources that search places. */
interface PlaceSearchDeps {
  readonly lookup: PlaceLookup;
  readonly gazetteer: Pick<Gazetteer, "facts" | "listKeys" | "listPlaces">;
  /** The words of the API for the data that is served now. */
  readonly translation: () => Translation;
}

type Context = Pick<CallContext, "found">;

/** The resources of the REST API that search places by names (decision 0057). */
export function placeSearchOperations({ lookup, gazetteer, translation }: PlaceSearchDeps) {
  const search = new PlaceSearch(gazetteer);
  return {
    searchPlaces: async ({ q, limit, country, state }, context: Context) => {
      const only = country === null ? undefined : translation().findCountry(country, "query");
      const found = await search.search({
        text: q,
        isWanted: createStateFilter(only, state),
        limit: Number(limit ?? defaultLimit),
      });
      context.found(found.length);
      return {
        places: found.map(({ place, key, codeCount }) => {
          return { postalCode: key, postalCodeCount: codeCount, ...translation().toCity(place) };
        }),
        dataDate: gazetteer.facts.dataDate,
      };
    },
    listCityCodes: async ({ country, city, state }, context: Context) => {
      const only = translation().findCountry(country);
      const found = await search.findCities(city, createStateFilter(only, state));
      context.found(found.length);
      const isServed = Object.hasOwn(gazetteer.facts.postalCodesByCountry, only.code);
      const cities = found.map(({ place, keys }) => {
        return { ...translation().toCity(place), postalCodes: keys };
      });
      return {
        status: cities.length > 0 ? "found" : isServed ? "unknown" : "unsupported",
        cities,
        dataDate: gazetteer.facts.dataDate,
      };
    },
    checkPlace: ({ country, postalCode, city, state }, context: Context) => {
      const found = lookup.findAll(postalCode, translation().findCountry(country, "query").code);
      const typed = { city: toGiven(city), state: toGiven(state) };
      const { status, places } = checkPlace(found, typed);
      context.found(places.length);
      return {
        status,
        places: places.map((place) => translation().toPlace(place)),
        dataDate: gazetteer.facts.dataDate,
      };
    },
  } satisfies Pick<ApiHandlers, keyof typeof placeSearchResources>;
}

/** Tells which states are searched. */
function createStateFilter(country: Country | undefined, given: string | null) {
  const typed = toGiven(given);
  const name = typed === null ? null : foldPlaceName(typed);
  return (state: State) =>
    (country === undefined || state.country.id === country.id) &&
    (name === null || listStateNames(state).includes(name));
}

/** A name that was typed: an empty field of a form has none. */
function toGiven(text: string | null): string | null {
  return text === null || text.trim() === "" ? null : text;
}
