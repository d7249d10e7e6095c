import type { locationResult } from "../contract/location-helper.ts";
import type { ShapeValue } from "../contract/operation.ts";
import type { Country, Place, State } from "../domain/location/place.ts";

type LocationResult = ShapeValue<typeof locationResult>;
type StateResult = NonNullable<LocationResult["State"]>;
type CountryResult = NonNullable<StateResult["Country"]>;

/** States that have been put into these words: an answer is quicker to write around an object that was written before. */
const known = new WeakMap<State, StateResult>();

/** A place in the words of the contract (§2.2). Which bindings leave the continent out is the contract's business. */
export function toLocationResult({ city, state }: Place): LocationResult {
  return { City: city, State: toState(state) };
}

function toState(state: State): StateResult {
  let result = known.get(state);
  if (result === undefined) {
    result = translateState(state);
    known.set(state, result);
  }
  return result;
}

function translateState({ id, name, abbreviation, country, active }: State): StateResult {
  return {
    State_id: id,
    StateName: name,
    StateAbbreviation: abbreviation,
    Country: toCountry(country),
    Active: active,
  };
}

function toCountry({ id, name, code, alias, continent, active }: Country): CountryResult {
  return {
    Country_id: id,
    CountryName: name,
    CountryCode: code,
    CountryAlias: alias,
    Continent: {
      Continent_id: continent.id,
      ContinentName: continent.name,
      ContinentCode: continent.code,
    },
    Active: active,
  };
}
