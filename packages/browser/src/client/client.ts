import type {
  CheckedAddress,
  Cities,
  CityQuery,
  Countries,
  Credentials,
  FormIds,
  LogInOutcome,
  LogOutOptions,
  NearbyQuery,
  NearPlaces,
  PageRequest,
  PlaceCheck,
  Places,
  SearchQuery,
  States,
  Suggestions,
} from "./api-values.ts";
import { type Connection, newEventKey, placesPath, type Result, request } from "./request.ts";

// Made by scripts/derive/client-types.ts with npm ci, checks and builds, and in no commit.
export type * from "./api-values.ts";
export type { ClientError, Connection, Result } from "./request.ts";

/** The calls of a server. None of them rejects because of what the server or the network does. */
export interface Client {
  /**
   * Finds all places of a postal code.
   *
   * @param country alpha-2; without it all countries are searched.
   */
  findPlaces(postalCode: string, country?: string): Promise<Result<Places>>;
  /** Finds the postal codes around one, the nearest first. */
  findNearby(around: NearbyQuery): Promise<Result<NearPlaces>>;
  /** Suggests cities and postal codes while a visitor types. */
  searchPlaces(search: SearchQuery): Promise<Result<Suggestions>>;
  /** Lists all postal codes of a city, in each state that has one of its name. */
  listCityCodes(query: CityQuery): Promise<Result<Cities>>;
  /** Checks a postal code with its city and state. A difference is a value too. */
  checkPlace(address: CheckedAddress): Promise<Result<PlaceCheck>>;
  listCountries(): Promise<Result<Countries>>;
  /** @param country alpha-2. */
  listStates(country: string): Promise<Result<States>>;
  /** Logs a page request. With a `formId` it is repeated after a failure, and stored once. */
  logPageRequest(pageRequest: PageRequest): Promise<Result<undefined>>;
  /** Logs 1 to 100 page requests, all or none. */
  logPageRequests(pageRequests: readonly PageRequest[]): Promise<Result<undefined>>;
  /** A refused log-in is a value too: `success` is false. */
  logIn(credentials: Credentials): Promise<Result<LogInOutcome>>;
  /** Logs a visitor in who is remembered on this device. */
  autoLogIn(form?: FormIds): Promise<Result<LogInOutcome>>;
  /** Ends the session, or all sessions of the account; succeeds without one too. */
  logOut(options?: LogOutOptions): Promise<Result<undefined>>;
}

/**
 * Creates a client of a server.
 *
 * @example
 * const client = createClient({ baseUrl: "https://forms.example.org" });
 * const result = await client.findPlaces("10001", "US");
 * if (result.ok) console.log(result.value.places[0]?.city);
 */
export function createClient(connection: Connection): Client {
  const get = <Value>(path: string) => request<Value>(connection, { path }, true);
  const post = <Value>(path: string, body: unknown) =>
    request<Value>(connection, { path, body, init: { credentials: "include" } }, false);
  const log = (body: PageRequest | readonly PageRequest[]) => {
    const isRepeatable = [body].flat().every(({ eventKey }) => eventKey);
    return request<undefined>(connection, { path: "page-requests", body }, isRepeatable);
  };
  return {
    findPlaces: (postalCode, country) => get(placesPath(postalCode, country)),
    findNearby: ({ country, postalCode, ...others }) =>
      get(`${placesPath(postalCode, country)}/nearby?${toQuery(others)}`),
    listCityCodes: ({ country, city, ...others }) =>
      get(`cities/${encodeURIComponent(country)}/${encodeURIComponent(city)}?${toQuery(others)}`),
    checkPlace: (address) => get(`places/check?${toQuery(address)}`),
    searchPlaces: (search) => get(`places/search?${toQuery(search)}`),
    listCountries: () => get("countries"),
    listStates: (country) => get(`countries/${encodeURIComponent(country)}/states`),
    logPageRequest: (pageRequest) => log(withKey(pageRequest)),
    logPageRequests: (pageRequests) => log(pageRequests.map(withKey)),
    logIn: (credentials) => post("log-in", credentials),
    autoLogIn: (form = {}) => post("auto-log-in", form),
    logOut: (options = {}) => post("log-out", options),
  };
}

/** Query with the parameters that have a value. All are texts. */
function toQuery(parameters: object) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value) query.set(name, value);
  return query;
}

function withKey(pageRequest: PageRequest): PageRequest {
  const { formId } = pageRequest;
  if (formId == null) return pageRequest;
  return { ...pageRequest, eventKey: pageRequest.eventKey ?? newEventKey() };
}
