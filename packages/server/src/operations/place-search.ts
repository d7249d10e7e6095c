import type { placeSearchResources } from "../contract/place-search-resources.ts";
import type { Gazetteer } from "../domain/location/gazetteer.ts";
import type { State } from "../domain/location/place.ts";
import { isStateName } from "../domain/location/place-name.ts";
import { PlaceSearch } from "../domain/location/place-search.ts";
import type { CallContext } from "./operation-handler.ts";
import type { ApiHandlers, Translation } from "./translation.ts";

const defaultLimit = 8;

/** The part of a search that says where to look. */
interface Area {
  readonly country: string | null;
  readonly state: string | null;
}

/** The resources of the REST API that search places by names (decision 0057). */
export function placeSearchOperations(
  gazetteer: Pick<Gazetteer, "facts" | "listKeys" | "listPlaces">,
  translation: () => Translation,
) {
  const places = new PlaceSearch(gazetteer);
  /** Tells which states are searched; an empty field of a form is no state. */
  const toFilter = ({ country, state }: Area) => {
    const only = country === null ? undefined : translation().findCountry(country);
    return (one: State) =>
      (only === undefined || one.country.id === only.id) &&
      (state === null || state.trim() === "" || isStateName(one, state));
  };
  return {
    searchPlaces: async ({ q, limit, ...area }, context: Pick<CallContext, "found">) => {
      const found = await places.search({
        text: q,
        isWanted: toFilter(area),
        limit: Number(limit ?? defaultLimit),
      });
      context.found(found.length);
      return {
        places: found.map(({ place, key, codeCount }) => {
          const { city, state, country } = translation().toPlace(place);
          return { postalCode: key, postalCodeCount: codeCount, city, state, country };
        }),
        dataDate: gazetteer.facts.dataDate,
      };
    },
  } satisfies Pick<ApiHandlers, keyof typeof placeSearchResources>;
}
