import { operationCaching } from "../../bindings/binding.ts";
import { type HttpResponse, openToAll } from "../../bindings/http.ts";
import { unescapePercent } from "../../codec/form/fields.ts";
import type { CompatibleApi, CompatibleApiDeps } from "./compatible-api.ts";

/** A country, then a postal code, or a state and a city. */
const paths = /^\/([A-Za-z]{2})\/([^/]+)(?:\/([^/]+))?\/?$/;

/** Longest path that is searched for, in characters: many times the longest name. */
const pathMax = 500;

/** Most codes of a city in a response; the largest city of the United States has some 200. */
const codesMax = 1_000;

/**
 * Creates the look-ups of Zippopotam: `/us/90210` and `/us/ma/belmont`. Whatever is not known has
 * status 404 and `{}` (decision 0091).
 */
export function createZippopotam(deps: CompatibleApiDeps): readonly CompatibleApi[] {
  return [
    {
      methods: ["GET", "HEAD"],
      route: "/{country}/{code}",
      matches: (path) => paths.test(path),
      respond: ({ head }) => {
        if (head.path.length > pathMax) return json(404, {});
        const [, country = "", first = "", city] = paths.exec(head.path) ?? [];
        return city === undefined
          ? write(findCode(deps, country, readSegment(first)))
          : findCity(deps, country, [readSegment(first), readSegment(city)]).then(write);
      },
      refuse: (status) => json(status, {}),
    },
  ];
}

function write(found: object | undefined): HttpResponse {
  return found === undefined ? json(404, {}) : json(200, found);
}

function findCode({ findPlaces }: CompatibleApiDeps, country: string, code: string) {
  const { postalCode, places } = findPlaces(country, code);
  const first = places[0];
  return (
    first && {
      "post code": postalCode,
      ...toCountry(first.country),
      places: places.map(({ city, state, coordinates }) => ({
        "place name": city,
        ...toPoint(coordinates),
        ...toState(state),
      })),
    }
  );
}

async function findCity(
  { findPlaces, listCityCodes }: CompatibleApiDeps,
  country: string,
  [state, city]: readonly [string, string],
) {
  const { cities } = await listCityCodes(country, state, city);
  const found = cities[0];
  return (
    found && {
      ...toCountry(found.country),
      "place name": found.city,
      ...toState(found.state),
      places: found.postalCodes.slice(0, codesMax).map((code) => {
        const { places } = findPlaces(found.country.code, code);
        const place = places.find((one) => one.city === found.city) ?? places[0];
        return {
          "place name": found.city,
          ...toPoint(place?.coordinates ?? null),
          "post code": code,
        };
      }),
    }
  );
}

type Place = ReturnType<CompatibleApiDeps["findPlaces"]>["places"][number];

function toCountry({ name, code }: Place["country"]) {
  return { country: name, "country abbreviation": code };
}

function toState({ name, code }: Place["state"]) {
  return { state: name, "state abbreviation": code };
}

/** Coordinates as texts; empty where they are not known. */
function toPoint(point: Place["coordinates"]) {
  return { longitude: String(point?.longitude ?? ""), latitude: String(point?.latitude ?? "") };
}

/** Resolves the escapes of a segment; some clients write blanks as in a form. */
function readSegment(text: string): string {
  return unescapePercent(text.replaceAll("+", " "));
}

/** One list for all responses, which pages of all origins may read, as there. */
const headers = [
  "Cache-Control",
  operationCaching,
  "Content-Type",
  "application/json; charset=utf-8",
  ...openToAll,
];

function json(status: number, value: object): HttpResponse {
  return { status, headers, body: JSON.stringify(value) };
}
