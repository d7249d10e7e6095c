import { type Part, type Shape, withExample } from "./operation.ts";

/** Age of the data behind a response. */
export const dataDate = {
  type: "string",
  meaning: "Day of the youngest postal data, as in 2026-10-01.",
} as const satisfies Part;

const continent = {
  name: "Continent",
  parts: {
    id: { type: "int", meaning: "UN M49 number." },
    code: { type: "string", meaning: "Two letters." },
    name: { type: "string", meaning: "English name." },
  },
} as const satisfies Shape;

const country = {
  name: "Country",
  parts: {
    id: { type: "int", meaning: "ISO 3166-1 number." },
    code: { type: "string", meaning: "ISO 3166-1 code of two letters." },
    alias: { type: "string", meaning: "ISO 3166-1 code of three letters." },
    name: { type: "string", meaning: "English name." },
    continent: { type: continent, meaning: "Continent of the country." },
    hasPostalCodes: { type: "boolean", meaning: "Whether this server has its postal codes." },
    active: { type: "boolean", meaning: "False for a country that no longer exists." },
  },
} as const satisfies Shape;

const state = {
  name: "State",
  parts: {
    id: { type: "int", meaning: "Number of the state; it never changes." },
    code: { type: "string", meaning: "ISO 3166-2 code without the country, as in NY." },
    name: { type: "string", meaning: "Name of the state, province or territory." },
    aliases: { type: "string", list: true, meaning: "Other names that forms use for it." },
    active: { type: "boolean", meaning: "False for a state that no longer exists." },
  },
} as const satisfies Shape;

const coordinates = {
  name: "Coordinates",
  parts: {
    latitude: { type: "double", meaning: "Degrees; north is positive." },
    longitude: { type: "double", meaning: "Degrees; east is positive." },
  },
} as const satisfies Shape;

/** A city with its state and country. */
export const place = {
  name: "Place",
  parts: {
    city: { type: "string", meaning: "Name of the city." },
    county: {
      type: "string",
      nillable: true,
      meaning: "Name of the county, or of a district like it; null where it is not known.",
    },
    state: { type: state, meaning: "State of the city." },
    country: { type: country, meaning: "Country of the city." },
    coordinates: {
      type: coordinates,
      nillable: true,
      meaning: "Middle of the postal code, or of its place; null where it is not known.",
    },
  },
} as const satisfies Shape;

const places = {
  name: "Places",
  parts: {
    status: {
      type: "string",
      values: ["found", "unknown", "unsupported", "malformed"],
      meaning:
        "unknown: no place has the code. unsupported: this server has no codes of the country. malformed: no code of the country looks like this.",
    },
    country: {
      type: "string",
      nillable: true,
      meaning: "Country of two letters; null where the code exists in several or in none.",
    },
    postalCode: {
      type: "string",
      meaning: "The code as it was understood: capitals, single spaces.",
    },
    places: {
      type: place,
      list: true,
      meaning: "All places of the code, the preferred one first.",
    },
    dataDate,
  },
} as const satisfies Shape;

/** Country of a request. */
export const countryCode = {
  type: "string",
  pattern: "[A-Za-z]{2}",
  form: "two letters, as in US",
  meaning: "ISO 3166-1 code of two letters, in either case.",
} as const satisfies Part;

/** Postal code of a request. */
export const postalCode = {
  type: "string",
  maxLength: 64,
  meaning: "Postal code as people write it: case, blanks and hyphens do not matter.",
} as const satisfies Part;

const newYork = {
  id: 84_000_923,
  code: "NY",
  name: "New York",
  aliases: [],
  active: true,
} as const;

const unitedStates = {
  id: 840,
  code: "US",
  alias: "USA",
  name: "United States",
  continent: { id: 3, code: "NA", name: "North America" },
  hasPostalCodes: true,
  active: true,
} as const;

/** Result of the examples. */
export const newYorkCity = {
  status: "found",
  country: "US",
  postalCode: "10001",
  places: [
    {
      city: "New York",
      county: "New York",
      state: newYork,
      country: unitedStates,
      coordinates: { latitude: 40.7484, longitude: -73.9967 },
    },
  ],
  dataDate: "2026-10-01",
} as const;

const foundOutcome = {
  done: "{city}, {state.name} ({country.code})",
  decidedBy: "city",
  notDone: "No place has that code",
  reason: "status",
  reasons: {
    unknown: "It is well formed, but no place here has it.",
    unsupported: "This server has no postal codes of that country.",
    malformed: "No postal code of that country looks like this.",
  },
} as const;

const findPlaces = withExample(
  {
    summary: "Finds all places of a postal code of a country.",
    resource: {
      method: "GET",
      path: "places/{country}/{postalCode}",
      cacheable: true,
      tag: "Places",
    },
    callers: "any",
    input: { country: countryCode, postalCode },
    result: places,
    outcome: foundOutcome,
  },
  { input: { country: "US", postalCode: "10001" }, result: newYorkCity },
);

const findPlacesAnywhere = withExample(
  {
    summary: "Finds the places of a postal code without knowing its country.",
    resource: { method: "GET", path: "places", cacheable: true, tag: "Places" },
    callers: "any",
    input: { postalCode },
    result: places,
    outcome: foundOutcome,
  },
  { input: { postalCode: "10001" }, result: newYorkCity },
);

const unit = {
  type: "string",
  optional: true,
  values: ["km", "mi"],
  meaning: "Unit of the radius and of the distances; km without one.",
} as const satisfies Part;

const nearPlace = {
  name: "NearPlace",
  parts: {
    postalCode: { type: "string", meaning: "The code, in letters and digits alone." },
    distance: { type: "double", meaning: "Distance on the ground, to two digits." },
    ...place.parts,
  },
} as const satisfies Shape;

const findNearby = withExample(
  {
    summary: "Finds the postal codes around that of a place, the nearest first.",
    resource: {
      method: "GET",
      path: "places/{country}/{postalCode}/nearby",
      cacheable: true,
      tag: "Places",
    },
    callers: "any",
    input: {
      country: countryCode,
      postalCode,
      radius: {
        type: "string",
        optional: true,
        pattern: "0\\.[1-9]|[1-9]\\d?(?:\\.\\d)?|1\\d\\d(?:\\.\\d)?|200",
        form: "a number from 0.1 to 200 with at most one digit behind the point",
        meaning: "Radius, from 0.1 to 200; 25 without one.",
      },
      unit,
      limit: {
        type: "string",
        optional: true,
        pattern: "[1-9]\\d?|100",
        form: "a whole number from 1 to 100",
        meaning: "Most codes of the response, from 1 to 100; 20 without one.",
      },
    },
    result: {
      name: "NearPlaces",
      parts: {
        status: {
          type: "string",
          values: ["found", "unlocated", "unknown", "unsupported", "malformed"],
          meaning:
            "unlocated: the coordinates of the code are not known. The others are those of places.",
        },
        unit: { type: "string", values: ["km", "mi"], meaning: "Unit of the distances." },
        count: {
          type: "int",
          meaning: "Codes within the radius, of which places has the nearest.",
        },
        places: {
          type: nearPlace,
          list: true,
          meaning: "The preferred place of each code, that which was asked for first.",
        },
        dataDate,
      },
    },
    outcome: {
      done: "Postal codes nearby: {count}",
      decidedBy: "count",
      reason: "status",
    },
  },
  {
    input: { country: "US", postalCode: "10001", radius: "1", unit: "km", limit: "1" },
    result: {
      status: "found",
      unit: "km",
      count: 11,
      places: [{ postalCode: "10001", distance: 0, ...newYorkCity.places[0] }],
      dataDate: "2026-10-01",
    },
  },
);

const listCountries = withExample(
  {
    summary: "Lists all countries.",
    resource: {
      method: "GET",
      path: "countries",
      cacheable: true,
      fewResults: true,
      tag: "Places",
    },
    callers: "any",
    input: {},
    result: {
      name: "Countries",
      parts: {
        countries: { type: country, list: true, meaning: "All countries." },
        dataDate,
      },
    },
    outcome: { done: "Countries: {countries.length}" },
  },
  { input: {}, result: { countries: [unitedStates], dataDate: "2026-10-01" } },
);

const listStates = withExample(
  {
    summary: "Lists the states, provinces or territories of a country.",
    resource: {
      method: "GET",
      path: "countries/{country}/states",
      cacheable: true,
      fewResults: true,
      tag: "Places",
    },
    callers: "any",
    input: { country: countryCode },
    result: {
      name: "States",
      parts: {
        country: { type: country, meaning: "The country that was asked for." },
        states: { type: state, list: true, meaning: "All its states." },
        dataDate,
      },
    },
    outcome: { done: "States of {country.name}: {states.length}" },
  },
  {
    input: { country: "US" },
    result: { country: unitedStates, states: [newYork], dataDate: "2026-10-01" },
  },
);

/** Resources of the REST API for places (decision 0057). */
export const placeResources = {
  findPlaces,
  findPlacesAnywhere,
  findNearby,
  listCountries,
  listStates,
} as const;
