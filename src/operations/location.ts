import type { locationHelper, locationResult } from "../contract/location-helper.ts";
import type { ShapeValue } from "../contract/operation.ts";
import type { restApi } from "../contract/rest-api.ts";
import { stateAliases } from "../domain/location/countries/state-aliases.ts";
import type { Gazetteer, GazetteerFacts } from "../domain/location/gazetteer.ts";
import type { PlaceLookup } from "../domain/location/lookup.ts";
import type { Country, Place, State } from "../domain/location/place.ts";
import { Fault } from "../fault.ts";
import type { CallContext, OperationHandlers } from "./operation-handler.ts";

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

type Handlers = OperationHandlers<typeof restApi>;
type ResultOf<Name extends keyof Handlers> = Exclude<
  Awaited<ReturnType<Handlers[Name]>>,
  null | undefined
>;
type ApiCountry = ResultOf<"listStates">["country"];
type ApiState = ResultOf<"listStates">["states"][number];
type ApiPlaces = ResultOf<"findPlaces">;

/** The look-ups of the REST API, which lists all places of a code (decision 0057). */
export function placeOperations(
  lookup: PlaceLookup,
  gazetteer: Pick<Gazetteer, "facts" | "listCountries">,
) {
  const translate = createTranslation(gazetteer);
  const lists = perRelease(gazetteer, () => ({
    byCode: new Map(gazetteer.listCountries().map((country) => [country.code, country])),
    countries: {
      countries: gazetteer.listCountries().map(translate.country),
      dataDate: gazetteer.facts.dataDate,
    },
    states: new WeakMap<Country, ResultOf<"listStates">>(),
  }));
  const findCountry = (given: string): Country => {
    const code = given.toUpperCase();
    const country = lists().byCode.get(code);
    if (country !== undefined) return country;
    const detail = `No country has the code ${code}. Use two letters of ISO 3166-1, as in US.`;
    throw new Fault("not-found", detail, { fields: [{ field: "country", detail }] });
  };
  const toPlaces = (
    postalCode: string,
    country: Country | undefined,
    context: Pick<CallContext, "found">,
  ): ApiPlaces => {
    const { dataDate } = gazetteer.facts;
    const found = lookup.findAll(postalCode, country?.code);
    context.found(found.places.length);
    return {
      status: found.status,
      country: country?.code ?? onlyCountryOf(found.places),
      postalCode: found.postalCode,
      places: found.places.map((place) => translate.place(place)),
      dataDate,
    };
  };
  return {
    findPlaces: ({ country, postalCode }, context: Pick<CallContext, "found">) =>
      toPlaces(postalCode, findCountry(country), context),
    findPlacesAnywhere: ({ postalCode }, context: Pick<CallContext, "found">) =>
      toPlaces(postalCode, undefined, context),
    listCountries: () => lists().countries,
    listStates: ({ country: code }, context: Pick<CallContext, "found">) => {
      const country = findCountry(code);
      const result = getOrCreate(lists().states, country, () => ({
        country: translate.country(country),
        states: lookup.listStates(country.id).map(translate.state),
        dataDate: gazetteer.facts.dataDate,
      }));
      context.found(result.states.length);
      return result;
    },
  } satisfies Pick<Handlers, "findPlaces" | "findPlacesAnywhere" | "listCountries" | "listStates">;
}

/** The country that all places are in; null where they differ. */
function onlyCountryOf([first, ...others]: readonly Place[]): string | null {
  const code = first?.state.country.code ?? null;
  return others.every(({ state }) => state.country.code === code) ? code : null;
}

/** Domain objects in the words of the API. Each is translated once, since writers keep the text of an object that they have written. */
function createTranslation(gazetteer: Pick<Gazetteer, "facts">) {
  const states = new WeakMap<State, ApiState>();
  // Which countries have postal codes changes with the data.
  const countries = perRelease(gazetteer, () => new WeakMap<Country, ApiCountry>());
  const toCountry = (country: Country): ApiCountry => {
    const { id, code, alias, name, continent, active } = country;
    return getOrCreate(countries(), country, () => {
      const hasPostalCodes = Object.hasOwn(gazetteer.facts.postalCodesByCountry, code);
      return { id, code, alias, name, continent, hasPostalCodes, active };
    });
  };
  const toState = (state: State): ApiState =>
    getOrCreate(states, state, () => ({
      id: state.id,
      code: state.abbreviation,
      name: state.name,
      aliases: stateAliases(state.country.code, state.abbreviation),
      active: state.active,
    }));
  return {
    country: toCountry,
    state: toState,
    place: ({ city, state }: Place) => ({
      city,
      state: toState(state),
      country: toCountry(state.country),
    }),
  };
}

/** Keeps what is made of the postal data and its overrides, until they change. */
function perRelease<Value>(gazetteer: Pick<Gazetteer, "facts">, create: () => Value): () => Value {
  let known: { readonly facts: GazetteerFacts; readonly value: Value } | undefined;
  return () => {
    const { facts } = gazetteer;
    if (known?.facts !== facts) known = { facts, value: create() };
    return known.value;
  };
}

function getOrCreate<Key extends object, Value>(
  map: WeakMap<Key, Value>,
  key: Key,
  create: () => Value,
): Value {
  const found = map.get(key);
  if (found !== undefined) return found;
  const created = create();
  map.set(key, created);
  return created;
}
