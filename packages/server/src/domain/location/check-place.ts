import type { ListedPlace } from "./gazetteer.ts";
import type { FoundPlaces } from "./lookup.ts";
import { foldPlaceName, listStateNames } from "./place-name.ts";

/** Names of an address as typed; null where they are not checked. */
export interface TypedNames {
  readonly city: string | null;
  readonly state: string | null;
}

/** Result of a check: with the places that match, else with those that would. */
export interface CheckedPlaces {
  readonly status: "matches" | "city-differs" | "state-differs" | "unknown" | "unsupported";
  readonly places: readonly ListedPlace[];
}

/** Compares the places of a postal code with the names that were typed beside it. */
export function checkPlace({ status, places }: FoundPlaces, typed: TypedNames): CheckedPlaces {
  if (places.length === 0) {
    return { status: status === "unsupported" ? "unsupported" : "unknown", places };
  }
  const { city, state } = typed;
  const stateName = state === null ? "" : foldPlaceName(state);
  const inState = places.filter(
    (place) => state === null || listStateNames(place.state).includes(stateName),
  );
  if (inState.length === 0) return { status: "state-differs", places };
  const name = city === null ? "" : foldPlaceName(city);
  const inCity = inState.filter((place) => city === null || foldPlaceName(place.city) === name);
  if (inCity.length === 0) return { status: "city-differs", places: inState };
  return { status: "matches", places: inCity };
}
