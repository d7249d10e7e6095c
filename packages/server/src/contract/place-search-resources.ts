import { type Part, type Shape, withExample } from "./operation.ts";
import { countryCode, dataDate, newYorkCity, place } from "./place-resources.ts";

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
    summary: "Suggests cities and postal codes while somebody types.",
    resource: { method: "GET", path: "places/search", cacheable: true, tag: "Places" },
    callers: "any",
    input: {
      q: {
        type: "string",
        maxLength: textMax,
        meaning:
          "Beginning of a postal code, or of the name of a city, with a typing error or two.",
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

/** Resources of the REST API that search places by names. */
export const placeSearchResources = { searchPlaces } as const;
