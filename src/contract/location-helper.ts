import { type ServiceContract, type Shape, type ShapeValue, withExample } from "./operation.ts";

/** Contract §2.2. */
const continent = {
  name: "Continent",
  parts: {
    Continent_id: { type: "int" },
    ContinentName: { type: "string", optional: true },
    ContinentCode: { type: "string", optional: true },
  },
} as const satisfies Shape;

/** Contract §2.2. Over SOAP the continent is announced and never filled in (decision 0008). */
const country = {
  name: "Country",
  parts: {
    Country_id: { type: "int" },
    CountryName: { type: "string", optional: true },
    CountryCode: { type: "string", optional: true },
    CountryAlias: { type: "string", optional: true },
    Continent: { type: continent, nillable: true, nilOver: ["soap11", "soap12"] },
    Active: { type: "boolean" },
  },
} as const satisfies Shape;

/** Contract §2.2. */
const state = {
  name: "State",
  parts: {
    State_id: { type: "int" },
    StateName: { type: "string", optional: true },
    StateAbbreviation: { type: "string", optional: true },
    Country: { type: country, optional: true },
    Active: { type: "boolean" },
  },
} as const satisfies Shape;

/** Contract §2.2. Over HTTP GET and POST its name is the root element of the response. */
export const locationResult = {
  name: "LocationUIHelperResponse",
  parts: {
    City: { type: "string", optional: true },
    State: { type: state, optional: true },
  },
} as const satisfies Shape;

/** Result of the postal code 10001 with the built-in data. */
const newYork: ShapeValue<typeof locationResult> = {
  City: "New York",
  State: {
    State_id: 84_000_923,
    StateName: "New York",
    StateAbbreviation: "NY",
    Country: {
      Country_id: 840,
      CountryName: "United States",
      CountryCode: "US",
      CountryAlias: "USA",
      Continent: { Continent_id: 3, ContinentName: "North America", ContinentCode: "NA" },
      Active: true,
    },
    Active: true,
  },
};

/** Contract §4.2. */
const PostalCodeToCityState = withExample(
  {
    summary: "Finds the city, state, country and continent of a postal code.",
    input: { postalCode: { type: "string" } },
    result: locationResult,
    outcome: {
      done: "Found: {City}, {StateAbbreviation}",
      decidedBy: "City",
      notDone: "No place has this postal code",
    },
  },
  { input: { postalCode: "10001" }, result: newYork },
);

/** Contract §4.2. */
const GetCityStateForPostalCode = withExample(
  {
    summary: "Looks up a postal code; the response only confirms that it was received.",
    input: { postalCode: { type: "string" } },
    outcome: { done: "Received" },
  },
  { input: { postalCode: "10001" } },
);

/** Contract §4.2. */
const GetStateListForCountryId = withExample(
  {
    summary: "Looks up the states of a country; the response only confirms that it was received.",
    input: { countryId: { type: "int" } },
    outcome: { done: "Received" },
  },
  { input: { countryId: 840 } },
);

/** The location helper (contract §4.2). */
export const locationHelper = {
  name: "LocationUIHelper",
  stack: "asmx",
  callers: "any",
  path: "/api/LocationUIHelper.asmx",
  summary: "Looks up city, state and country for web forms.",
  bindings: ["soap11", "soap12", "http-get", "http-post", "json"],
  operations: { PostalCodeToCityState, GetCityStateForPostalCode, GetStateListForCountryId },
} as const satisfies ServiceContract;
