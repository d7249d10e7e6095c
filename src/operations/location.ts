import type { locationHelper, locationResult } from "../contract/location-helper.ts";
import type { ShapeValue } from "../contract/operation.ts";
import type { PlaceLookup } from "../domain/location/lookup.ts";
import type { Country, Place, State } from "../domain/location/place.ts";
import type { OperationHandlers } from "./operation-handler.ts";

/** The operations of the location helper (contract §4.2). */
export function locationOperations(lookup: PlaceLookup): OperationHandlers<typeof locationHelper> {
  return {
    // A postal code that is not known has no result (decision 0007).
    PostalCodeToCityState: ({ postalCode }, context) => {
      const place = lookup.findPlace(postalCode);
      context.found(place === undefined ? 0 : 1);
      return place === undefined ? null : toLocationResult(place);
    },
    // The contract gives the other two no result: only the log shows what they found (decision 0011).
    GetCityStateForPostalCode: ({ postalCode }, context) => {
      context.found(lookup.findPlace(postalCode) === undefined ? 0 : 1);
    },
    GetStateListForCountryId: ({ countryId }, context) => {
      context.found(lookup.listStates(countryId).length);
    },
  };
}

type LocationResult = ShapeValue<typeof locationResult>;
type StateResult = NonNullable<LocationResult["State"]>;

/** States that have been translated: writers keep the text of an object that they have written before. */
const translated = new WeakMap<State, StateResult>();

/** A place in the words of the contract (§2.2). Which bindings leave the continent out is in the contract. */
export function toLocationResult({ city, state }: Place): LocationResult {
  let result = translated.get(state);
  if (result === undefined) {
    result = toState(state);
    translated.set(state, result);
  }
  return { City: city, State: result };
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

function toCountry({ id, name, code, alias, continent, active }: Country): StateResult["Country"] {
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
