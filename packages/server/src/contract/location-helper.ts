import {
  type Part,
  type ServiceContract,
  type Shape,
  type ShapeValue,
  withExample,
} from "./operation.ts";

/** Contract §2.2. */
const continent = {
  name: "Continent",
  parts: {
    Continent_id: { type: "int", meaning: "Number of the continent; it never changes." },
    ContinentName: { type: "string", optional: true, meaning: "English name of the continent." },
    ContinentCode: { type: "string", optional: true, meaning: "Two letters for the continent." },
  },
} as const satisfies Shape;

/** Contract §2.2. Over SOAP the continent is announced and never filled in (decision 0008). */
const country = {
  name: "Country",
  parts: {
    Country_id: { type: "int", meaning: "ISO 3166-1 number of the country." },
    CountryName: { type: "string", optional: true, meaning: "English name of the country." },
    CountryCode: { type: "string", optional: true, meaning: "ISO 3166-1 code of two letters." },
    CountryAlias: { type: "string", optional: true, meaning: "ISO 3166-1 code of three letters." },
    Continent: {
      type: continent,
      nillable: true,
      nilOver: ["soap11", "soap12"],
      meaning: "Continent of the country.",
    },
    Active: { type: "boolean", meaning: "False for a country that no longer exists." },
  },
} as const satisfies Shape;

/** Contract §2.2. */
const state = {
  name: "State",
  parts: {
    State_id: { type: "int", meaning: "Number of the state; it never changes." },
    StateName: {
      type: "string",
      optional: true,
      meaning: "Name of the state, province or territory.",
    },
    StateAbbreviation: {
      type: "string",
      optional: true,
      meaning: "ISO 3166-2 code without the country.",
    },
    Country: { type: country, optional: true, meaning: "Country of the state." },
    Active: { type: "boolean", meaning: "False for a state that no longer exists." },
  },
} as const satisfies Shape;

/** Contract §2.2. Over HTTP GET and POST its name is the root element of the response. */
export const locationResult = {
  name: "LocationUIHelperResponse",
  parts: {
    City: {
      type: "string",
      optional: true,
      meaning: "City of the postal code; the preferred one if there are several.",
    },
    State: { type: state, optional: true, meaning: "State of the city." },
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

const postalCode = {
  type: "string",
  meaning: "Postal code as people write it: case, blanks and hyphens do not matter.",
} as const satisfies Part;

/** Contract §4.2. */
const PostalCodeToCityState = withExample(
  {
    summary: "Finds the city, state, country and continent of a postal code.",
    input: { postalCode },
    result: locationResult,
    outcome: {
      done: "{City}, {StateName} ({CountryCode})",
      decidedBy: "City",
      notDone: "No place has that code",
    },
  },
  { input: { postalCode: "10001" }, result: newYork },
);

/** Contract §4.2. */
const GetCityStateForPostalCode = withExample(
  {
    summary: "Looks up a postal code; the response only confirms that it was received.",
    input: { postalCode },
    outcome: { done: "Received" },
  },
  { input: { postalCode: "10001" } },
);

/** Contract §4.2. */
const GetStateListForCountryId = withExample(
  {
    summary: "Looks up the states of a country; the response only confirms that it was received.",
    input: { countryId: { type: "int", meaning: "ISO 3166-1 number of the country." } },
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
