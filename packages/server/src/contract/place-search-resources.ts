import { type Part, type Shape, withExample } from "./operation.ts";
import { countryCode, dataDate, newYorkCity, place, postalCode } from "./place-resources.ts";

/** Longest text of a search, and of a city, in characters. */
const textMax = 100;

const stateText = {
  type: "string",
  optional: true,
  maxLength: textMax,
  meaning: "Code or name of the state, in any case; all states without one.",
} as const satisfies Part;

const { city, state, country } = place.parts;
const [newYork] = newYorkCity.places;

const suggestion = {
  name: "Suggestion",
  parts: {
    postalCode: {
      type: "string",
      nillable: true,
      meaning:
        "The code that was searched for, or the only one of the city; null if it has several.",
    },
    postalCodeCount: { type: "int", meaning: "Postal codes of the city." },
    city,
    state,
    country,
  },
} as const satisfies Shape;

const searchPlaces = withExample(
  {
    summary: "Suggests cities and postal codes while a visitor types.",
    resource: { method: "GET", path: "places/search", cacheable: true, tag: "Places" },
    callers: "any",
    input: {
      q: {
        type: "string",
        maxLength: textMax,
        meaning:
          "Beginning of a postal code, or of the name of a city, with a typing error or two. A state may follow after a comma.",
      },
      country: { ...countryCode, optional: true },
      state: stateText,
      limit: {
        type: "string",
        optional: true,
        pattern: "[1-9]|[1-4]\\d|50",
        form: "a whole number from 1 to 50",
        meaning: "Most suggestions, from 1 to 50; 8 without one.",
      },
    },
    result: {
      name: "Suggestions",
      parts: {
        places: {
          type: suggestion,
          list: true,
          meaning: "The most exact first; of equals, those with most postal codes.",
        },
        dataDate,
      },
    },
    outcome: { done: "Suggestions: {places.length}" },
  },
  {
    input: { q: "new yrok", country: "US", state: null, limit: "1" },
    result: {
      places: [
        {
          postalCode: null,
          postalCodeCount: 165,
          city: newYork.city,
          state: newYork.state,
          country: newYork.country,
        },
      ],
      dataDate: newYorkCity.dataDate,
    },
  },
);

const cityCodes = {
  name: "CityCodes",
  parts: {
    city,
    state,
    country,
    postalCodes: {
      type: "string",
      list: true,
      meaning: "All codes of the city in that state, in letters and digits alone.",
    },
  },
} as const satisfies Shape;

const listCityCodes = withExample(
  {
    summary: "Lists all postal codes of a city.",
    resource: { method: "GET", path: "cities/{country}/{city}", cacheable: true, tag: "Places" },
    callers: "any",
    input: {
      country: countryCode,
      city: {
        type: "string",
        maxLength: textMax,
        meaning: "Name of the city: case, accents and punctuation do not matter.",
      },
      state: stateText,
    },
    result: {
      name: "Cities",
      parts: {
        status: {
          type: "string",
          values: ["found", "unknown", "unsupported"],
          meaning:
            "unknown: no city has the name. unsupported: this server has no codes of the country.",
        },
        cities: {
          type: cityCodes,
          list: true,
          meaning: "The city in each state that has one, that with most codes first.",
        },
        dataDate,
      },
    },
    outcome: {
      done: "{city}, {state.name}: {postalCodes.length} postal codes",
      decidedBy: "city",
      notDone: "No city has that name",
      reason: "status",
    },
  },
  {
    input: { country: "US", city: "Schenectady", state: "NY" },
    result: {
      status: "found",
      cities: [
        {
          city: "Schenectady",
          state: newYork.state,
          country: newYork.country,
          postalCodes: [
            "12301",
            "12302",
            "12303",
            "12304",
            "12305",
            "12306",
            "12307",
            "12308",
            "12309",
            "12325",
            "12345",
          ],
        },
      ],
      dataDate: newYorkCity.dataDate,
    },
  },
);

const checkPlace = withExample(
  {
    summary: "Checks a postal code with its city and state, as an address has them.",
    resource: { method: "GET", path: "places/check", cacheable: true, tag: "Places" },
    callers: "any",
    input: {
      country: countryCode,
      postalCode,
      state: { ...stateText, meaning: "Code or name of the state; not checked if it is empty." },
      city: {
        type: "string",
        optional: true,
        maxLength: textMax,
        meaning: "Name of the city; not checked if it is empty.",
      },
    },
    result: {
      name: "PlaceCheck",
      parts: {
        status: {
          type: "string",
          values: ["matches", "city-differs", "state-differs", "unknown", "unsupported"],
          meaning:
            "unknown: no place has the code. unsupported: this server has no codes of the country.",
        },
        places: {
          type: place,
          list: true,
          meaning:
            "Places that match. Where the city differs, those of the code in the state; where the state differs, all of the code.",
        },
        dataDate,
      },
    },
    outcome: { done: "Checked: {status}" },
  },
  {
    input: { country: "US", postalCode: "10001", state: "NY", city: "Newark" },
    result: { status: "city-differs", places: newYorkCity.places, dataDate: newYorkCity.dataDate },
  },
);

/** Resources of the REST API that search places by names, or compare them. */
export const placeSearchResources = { searchPlaces, listCityCodes, checkPlace } as const;
