import type { locationHelper, locationResult } from "../contract/location-helper.ts";
import type { ShapeValue } from "../contract/operation.ts";
import type { placeResources } from "../contract/place-resources.ts";
import type { restApi } from "../contract/rest-api.ts";
import { stateAliases } from "../domain/location/countries/state-aliases.ts";
import type { Gazetteer, GazetteerFacts, ListedPlace } from "../domain/location/gazetteer.ts";
import type { PlaceLookup } from "../domain/location/lookup.ts";
import { NearbyCodes, type NearCode } from "../domain/location/nearby.ts";
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
    // The contract gives the other two no result: only the log has what they found (decision 0011).
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

/** States that have been translated: writers keep the text of an object. */
const translated = new WeakMap<State, StateResult>();

/** A place in the words of the contract (§2.2), which says where the continent is left out. */
export function toLocationResult({ city, state }: Place): LocationResult {
  return { City: city, State: getOrCreate(translated, state, toState) };
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
type NearPlace = ResultOf<"findNearby">["places"][number];

const kmPerMile = 1.609_344;
/** In the unit of the call. */
const defaultRadius = 25;
const defaultLimit = 20;

/** The look-ups of the REST API, which lists all places of a code (decision 0057). */
export function placeOperations(lookup: PlaceLookup, gazetteer: ApiGazetteer) {
  const nearby = new NearbyCodes(gazetteer);
  let known: Translation | undefined;
  const translation = () => {
    if (known?.facts !== gazetteer.facts) known = new Translation(gazetteer);
    return known;
  };
  const toPlaces = (
    postalCode: string,
    country: Country | undefined,
    context: Pick<CallContext, "found">,
  ): ApiPlaces => {
    const found = lookup.findAll(postalCode, country?.code);
    context.found(found.places.length);
    return {
      status: found.status,
      country: country?.code ?? onlyCountryOf(found.places),
      postalCode: found.postalCode,
      places: found.places.map((place) => translation().toPlace(place)),
      dataDate: gazetteer.facts.dataDate,
    };
  };
  /** The preferred place of each of the first codes, but for those that an override excludes. */
  const listNear = (near: readonly NearCode[], most: number) => {
    const places: (NearCode & { readonly place: ListedPlace })[] = [];
    for (const code of near) {
      if (places.length === most) break;
      const isThere = ({ state }: Place) => state.country.code === code.countryCode;
      const place = gazetteer.listPlaces(code.key).find(isThere);
      if (place !== undefined) places.push({ ...code, place });
    }
    return places;
  };
  return {
    findPlaces: ({ country, postalCode }, context: Pick<CallContext, "found">) =>
      toPlaces(postalCode, translation().findCountry(country), context),
    findNearby: async (
      { country, postalCode, radius, limit, unit },
      context: Pick<CallContext, "found">,
    ) => {
      const found = lookup.findAll(postalCode, translation().findCountry(country).code);
      const center = found.places[0]?.coordinates;
      const kmPerUnit = unit === "mi" ? kmPerMile : 1;
      const radiusKm = Number(radius ?? defaultRadius) * kmPerUnit;
      const near = center ? await nearby.find(center, radiusKm) : [];
      const places = listNear(near, Number(limit ?? defaultLimit)).map(
        ({ km, key, place }): NearPlace => ({
          postalCode: key,
          distance: Math.round((km / kmPerUnit) * 100) / 100,
          ...translation().toPlace(place),
        }),
      );
      context.found(places.length);
      return {
        status: found.status === "found" && !center ? "unlocated" : found.status,
        unit: unit ?? "km",
        count: near.length,
        places,
        dataDate: gazetteer.facts.dataDate,
      };
    },
    findPlacesAnywhere: ({ postalCode }, context: Pick<CallContext, "found">) =>
      toPlaces(postalCode, undefined, context),
    listCountries: () => translation().countries,
    listStates: ({ country: code }, context: Pick<CallContext, "found">) => {
      const result = translation().listStates(code, lookup);
      context.found(result.states.length);
      return result;
    },
  } satisfies Pick<Handlers, keyof typeof placeResources>;
}

/** The country that all places are in; null where they differ. */
function onlyCountryOf([first, ...others]: readonly Place[]): string | null {
  const code = first?.state.country.code ?? null;
  return others.every(({ state }) => state.country.code === code) ? code : null;
}

type ApiGazetteer = Pick<Gazetteer, "facts" | "listCodes" | "listCountries" | "listPlaces">;

/**
 * The words of the API for postal data and its overrides, until they change. Each object is
 * translated once, since writers keep the text of an object that they have written.
 */
class Translation {
  readonly facts: GazetteerFacts;
  readonly countries: ResultOf<"listCountries">;
  readonly #byCode: ReadonlyMap<string, Country>;
  readonly #countries = new WeakMap<Country, ApiCountry>();
  readonly #states = new WeakMap<State, ApiState>();
  readonly #lists = new WeakMap<Country, ResultOf<"listStates">>();

  constructor(gazetteer: ApiGazetteer) {
    const countries = gazetteer.listCountries();
    this.facts = gazetteer.facts;
    this.#byCode = new Map(countries.map((country) => [country.code, country]));
    this.countries = {
      countries: countries.map((country) => this.#toCountry(country)),
      dataDate: this.facts.dataDate,
    };
  }

  findCountry(given: string): Country {
    const code = given.toUpperCase();
    const country = this.#byCode.get(code);
    if (country !== undefined) return country;
    const detail = `No country has the code ${code}. Use two letters of ISO 3166-1, as in US.`;
    throw new Fault("not-found", detail, { fields: [{ field: "country", detail }] });
  }

  listStates(code: string, lookup: PlaceLookup): ResultOf<"listStates"> {
    const country = this.findCountry(code);
    return getOrCreate(this.#lists, country, () => ({
      country: this.#toCountry(country),
      states: lookup.listStates(country.id).map((state) => this.#toState(state)),
      dataDate: this.facts.dataDate,
    }));
  }

  toPlace({ city, county, state, coordinates }: ListedPlace): ApiPlaces["places"][number] {
    return {
      city,
      county,
      state: this.#toState(state),
      country: this.#toCountry(state.country),
      coordinates,
    };
  }

  #toCountry(country: Country): ApiCountry {
    const { id, code, alias, name, continent, active } = country;
    return getOrCreate(this.#countries, country, () => {
      const hasPostalCodes = Object.hasOwn(this.facts.postalCodesByCountry, code);
      return { id, code, alias, name, continent, hasPostalCodes, active };
    });
  }

  #toState(state: State): ApiState {
    return getOrCreate(this.#states, state, () => ({
      id: state.id,
      code: state.abbreviation,
      name: state.name,
      aliases: stateAliases(state.country.code, state.abbreviation),
      active: state.active,
    }));
  }
}

function getOrCreate<Key extends object, Value>(
  map: WeakMap<Key, Value>,
  key: Key,
  create: (key: Key) => Value,
): Value {
  const found = map.get(key);
  if (found !== undefined) return found;
  const created = create(key);
  map.set(key, created);
  return created;
}
