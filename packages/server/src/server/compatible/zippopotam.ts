import { operationCaching } from "../../bindings/binding.ts";
import { type HttpResponse, openToAll } from "../../bindings/http.ts";
import { unescapePercent } from "../../codec/form/fields.ts";
import type { CompatibleApi, CompatibleApiDeps } from "./compatible-api.ts";

/** A country, then a postal code, or a state and a city. */
const paths = /^\/([A-Za-z]{2})\/([^/]+)(?:\/([^/]+))?\/?$/;

/** Creates the look-ups of Zippopotam: `/us/90210`. An unknown code has status 404 and `{}`. */
export function createZippopotam({ findPlaces }: CompatibleApiDeps): readonly CompatibleApi[] {
  return [
    {
      methods: ["GET", "HEAD"],
      route: "/{country}/{code}",
      matches: (path) => paths.test(path),
      respond: ({ head }) => {
        const [, country = "", postalCode = ""] = paths.exec(head.path) ?? [];
        const found = findPlaces(country, readSegment(postalCode));
        const first = found.places[0];
        if (first === undefined) return json(404, {});
        return json(200, {
          "post code": found.postalCode,
          country: first.country.name,
          "country abbreviation": first.country.code,
          places: found.places.map(({ city, state, coordinates }) => ({
            "place name": city,
            ...toPoint(coordinates),
            state: state.name,
            "state abbreviation": state.code,
          })),
        });
      },
      refuse: (status) => json(status, {}),
    },
  ];
}

type Places = ReturnType<CompatibleApiDeps["findPlaces"]>["places"];

/** Coordinates as texts; empty where they are not known. */
function toPoint(point: Places[number]["coordinates"]) {
  return { longitude: String(point?.longitude ?? ""), latitude: String(point?.latitude ?? "") };
}

/** Resolves the escapes of a segment; some clients write blanks as in a form. */
function readSegment(text: string): string {
  return unescapePercent(text.replaceAll("+", " "));
}

/** Pages of all origins may read a response, as there. */
function json(status: number, value: object): HttpResponse {
  const type = ["Content-Type", "application/json; charset=utf-8"];
  const headers = ["Cache-Control", operationCaching, ...type, ...openToAll];
  return { status, headers, body: JSON.stringify(value) };
}
