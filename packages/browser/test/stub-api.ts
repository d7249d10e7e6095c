import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { pageScripts } from "@wfh/server/metadata/page-scripts.ts";
import { openLocally } from "@wfh/server/test/local-server.ts";
import type {
  Country,
  Place,
  Places,
  State,
  Suggestion,
  Suggestions,
} from "../src/client/api-values.ts";

const unitedStates: Country = {
  id: 840,
  code: "US",
  alias: "USA",
  name: "United States",
  continent: { id: 3, code: "NA", name: "North America" },
  hasPostalCodes: true,
  active: true,
};
const canada: Country = { ...unitedStates, id: 124, code: "CA", alias: "CAN", name: "Canada" };

function state(id: number, code: string, name: string, aliases: readonly string[] = []): State {
  return { id, code, name, aliases, active: true };
}
const newYork = state(84_000_923, "NY", "New York");
const texas = state(84_001_144, "TX", "Texas");
const georgia = state(84_000_911, "GA", "Georgia");
const yukon = state(12_400_941, "YT", "Yukon", ["Yukon Territory"]);

type Detail = Pick<Place, "county" | "coordinates">;

function detail(county: string, latitude: number, longitude: number): Detail {
  return { county, coordinates: { latitude, longitude } };
}
const unknown: Detail = { county: null, coordinates: null };

function place(city: string, where: State, facts = unknown, country = unitedStates): Place {
  return { city, state: where, country, ...facts };
}

/** Postal codes of the stub, with their places. */
export const placesByCode: Readonly<Record<string, readonly Place[]>> = {
  "10001": [place("New York", newYork, detail("New York", 40.7484, -73.9967))],
  "10002": [place("New York", newYork, detail("New York", 40.7152, -73.9877))],
  "75201": [place("Dallas", texas, detail("Dallas", 32.7904, -96.8044))],
  "75001": [place("Addison", texas), place("Dallas", texas)],
  "30132": [place("Dallas", georgia)],
  Y1A1A1: [place("Whitehorse", yukon, unknown, canada)],
};

/** A request that the stub has received. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** A server that speaks the REST API from a table, and serves pages. */
export interface StubApi {
  readonly url: string;
  readonly received: Received[];
  /** HTML of pages by path. */
  readonly pages: Record<string, string>;
  /** Responds in place of the stub; false where it leaves that to the stub. */
  respond: (request: Received, response: ServerResponse) => boolean;
}

/** Starts a stub; it ends after the tests of the file. */
export async function startStubApi(): Promise<StubApi> {
  const stub = {
    url: "",
    received: [] as Received[],
    pages: {},
    respond: () => false,
  } as StubApi & {
    url: string;
  };
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { method = "", url = "", headers } = request;
    const received = { method, path: url, headers, body: Buffer.concat(parts).toString() };
    allowOrigin(request, response);
    if (method === "OPTIONS") {
      response.writeHead(204).end();
      return;
    }
    stub.received.push(received);
    if (stub.respond(received, response)) return;
    const { status, type, text } = responseTo(received, stub.pages);
    // Firefox restores no fields of a page that may not be stored.
    if (!type.includes("html")) response.setHeader("Cache-Control", "no-store");
    response.writeHead(status, { "Content-Type": type }).end(text);
  });
  stub.url = await openLocally(server);
  return stub;
}

function allowOrigin({ headers: { origin = "*" } }: IncomingMessage, response: ServerResponse) {
  response.setHeader("Access-Control-Allow-Origin", origin);
  response.setHeader("Access-Control-Allow-Credentials", "true");
  response.setHeader("Access-Control-Allow-Headers", "content-type");
}

interface StubResponse {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

function responseTo(
  { method, path, body }: Received,
  pages: Readonly<Record<string, string>>,
): StubResponse {
  const { pathname, searchParams } = new URL(path, "http://stub");
  const page = pages[pathname];
  const script = pageScripts[pathname];
  if (page !== undefined) return { status: 200, type: "text/html; charset=utf-8", text: page };
  if (script !== undefined) return { status: 200, type: "text/javascript", text: script };
  const call = `${method} ${pathname.replace("/api/v1/", "")}`;
  if (call === "GET places/search") return json(searchPlaces(searchParams));
  if (call.startsWith("GET places")) {
    const [, country, code] = /places\/(\w\w)\/(.*)$/.exec(call) ?? [];
    const text = code ?? searchParams.get("postalCode") ?? "";
    return json(findPlaces(decodeURIComponent(text), country));
  }
  if (/^POST (?:page-requests|log-out)$/.test(call)) return { status: 204, type: "", text: "" };
  if (/^POST (?:auto-)?log-in$/.test(call)) {
    const success = !body.includes("wrong");
    const id = success ? "9007199254740993" : null;
    return json({ success, contactId: id, recordId: id, message: success ? null : "Refused." });
  }
  return { status: 404, type: "application/problem+json", text: JSON.stringify(notFound) };
}

function json(value: unknown): StubResponse {
  return { status: 200, type: "application/json", text: JSON.stringify(value) };
}

const notFound = {
  type: "/api/v1/problems/not-found",
  title: "Not found",
  status: 404,
  detail: "Nothing is served here.",
};

function findPlaces(text: string, country: string | undefined): Places {
  const postalCode = text.toUpperCase().replace(/[\s-]/g, "");
  const known = placesByCode[postalCode] ?? [];
  const places = known.filter((one) => country === undefined || one.country.code === country);
  const status = places.length > 0 ? "found" : "unknown";
  const found = places[0]?.country.code ?? country ?? null;
  return { status, country: found, postalCode, places, dataDate: "2026-10-01" };
}

/** All places with their codes, as a search has them. */
const listed = Object.entries(placesByCode).flatMap(([postalCode, places]) =>
  places.map(({ city, state, country }) => ({ postalCode, city, state, country })),
);

/** Codes that begin with a text, else cities, of one country and state where they are given. */
function searchPlaces(query: URLSearchParams): Suggestions {
  const text = query.get("q")?.toUpperCase() ?? "";
  const given = query.get("state") ?? "";
  const wanted = listed.filter(
    ({ country, state: { code, name } }) =>
      [null, country.code].includes(query.get("country")) && ["", code, name].includes(given),
  );
  const codes = wanted.filter(({ postalCode }) => postalCode.startsWith(text));
  const cities = new Map<string, Suggestion>();
  for (const found of wanted.filter(({ city }) => city.toUpperCase().startsWith(text))) {
    const name = `${found.city}, ${found.state.name}`;
    const postalCodeCount = (cities.get(name)?.postalCodeCount ?? 0) + 1;
    const postalCode = postalCodeCount === 1 ? found.postalCode : null;
    cities.set(name, { ...found, postalCode, postalCodeCount });
  }
  const byCount = (one: Suggestion, other: Suggestion) =>
    other.postalCodeCount - one.postalCodeCount;
  const places = [
    ...codes.map((found) => ({ ...found, postalCodeCount: 1 })),
    ...[...cities.values()].sort(byCount),
  ];
  return { places, dataDate: "2026-10-01" };
}
