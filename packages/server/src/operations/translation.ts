import type { restApi } from "../contract/rest-api.ts";
import { stateAliases } from "../domain/location/countries/state-aliases.ts";
import type { Gazetteer, GazetteerFacts, ListedPlace } from "../domain/location/gazetteer.ts";
import type { PlaceLookup } from "../domain/location/lookup.ts";
import type { Country, Place, State } from "../domain/location/place.ts";
import { Fault } from "../fault.ts";
import type { OperationHandlers } from "./operation-handler.ts";

/** The code of the REST API. */
export type ApiHandlers = OperationHandlers<typeof restApi>;

/** Result of an operation of the REST API. */
export type ApiResult<Name extends keyof ApiHandlers> = Exclude<
  Awaited<ReturnType<ApiHandlers[Name]>>,
  null | undefined
>;

type ApiCountry = ApiResult<"listStates">["country"];
type ApiState = ApiResult<"listStates">["states"][number];
type ApiPlace = ApiResult<"findPlaces">["places"][number];

/**
 * The words of the API for postal data and its overrides, until they change. Each object is
 * translated once, since writers keep the text of an object that they have written.
 */
export class Translation {
  readonly facts: GazetteerFacts;
  readonly countries: ApiResult<"listCountries">;
  readonly #byCode: ReadonlyMap<string, Country>;
  readonly #countries = new WeakMap<Country, ApiCountry>();
  readonly #states = new WeakMap<State, ApiState>();
  readonly #lists = new WeakMap<Country, ApiResult<"listStates">>();

  constructor(gazetteer: Pick<Gazetteer, "facts" | "listCountries">) {
    const countries = gazetteer.listCountries();
    this.facts = gazetteer.facts;
    this.#byCode = new Map(countries.map((country) => [country.code, country]));
    this.countries = {
      countries: countries.map((country) => this.#toCountry(country)),
      dataDate: this.facts.dataDate,
    };
  }

  /** @param place of the code in the request: no resource is at a path with an unknown one. */
  findCountry(given: string, place: "path" | "query" = "path"): Country {
    const code = given.toUpperCase();
    const country = this.#byCode.get(code);
    if (country !== undefined) return country;
    const detail = `No country has the code ${code}. Use two letters of ISO 3166-1, as in US.`;
    throw new Fault(place === "path" ? "not-found" : "unreadable-part", detail, {
      fields: [{ field: "country", detail }],
    });
  }

  listStates(code: string, lookup: PlaceLookup): ApiResult<"listStates"> {
    const country = this.findCountry(code);
    return getOrCreate(this.#lists, country, () => ({
      country: this.#toCountry(country),
      states: lookup.listStates(country.id).map((state) => this.#toState(state)),
      dataDate: this.facts.dataDate,
    }));
  }

  toPlace({ city, county, state, coordinates }: ListedPlace): ApiPlace {
    return {
      city,
      county,
      state: this.#toState(state),
      country: this.#toCountry(state.country),
      coordinates,
    };
  }

  /** A place without the facts about one of its postal codes. */
  toCity({ city, state }: Place): Pick<ApiPlace, "city" | "state" | "country"> {
    return { city, state: this.#toState(state), country: this.#toCountry(state.country) };
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

/** The value of an object in a map, created where it is missing. */
export function getOrCreate<Key extends object, Value>(
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
