import type { locationResult } from "../contract/location-helper.ts";
import type { ShapeValue } from "../contract/operation.ts";
import type { Country, Place, State } from "../domain/location/place.ts";

type LocationResult = ShapeValue<typeof locationResult>;
type StateResult = NonNullable<LocationResult["State"]>;
type CountryResult = NonNullable<StateResult["Country"]>;

/** A place in the words of the contract (§2.2). Which bindings leave the continent out is the contract's business. */
export function toLocationResult({ city, state }: Place): LocationResult {
  return { City: city, State: toState(state) };
}

function toState({ id, name, abbreviation, country, active }: State): StateResult {
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
