import type { locationHelper, locationResult } from "../contract/location-helper.ts";
import type { ShapeValue } from "../contract/operation.ts";
import type { placeResources } from "../contract/place-resources.ts";
import type { placeSearchResources } from "../contract/place-search-resources.ts";
import type { Gazetteer, ListedPlace } from "../domain/location/gazetteer.ts";
import type { PlaceLookup } from "../domain/location/lookup.ts";
import { NearbyCodes, type NearCode } from "../domain/location/nearby.ts";
import type { Country, Place, State } from "../domain/location/place.ts";
import type { CallContext, OperationHandlers } from "./operation-handler.ts";
import { placeSearchOperations } from "./place-search.ts";
import { type ApiHandlers, type ApiResult, getOrCreate, Translation } from "./translation.ts";

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

type ApiPlaces = ApiResult<"findPlaces">;
type NearPlace = ApiResult<"findNearby">["places"][number];

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
    ...placeSearchOperations({ lookup, gazetteer, translation }),
  } satisfies Pick<ApiHandlers, keyof typeof placeResources | keyof typeof placeSearchResources>;
}

/** The country that all places are in; null where they differ. */
function onlyCountryOf([first, ...others]: readonly Place[]): string | null {
  const code = first?.state.country.code ?? null;
  return others.every(({ state }) => state.country.code === code) ? code : null;
}

type ApiGazetteer = Pick<
  Gazetteer,
  "facts" | "listCodes" | "listCountries" | "listKeys" | "listPlaces"
>;
