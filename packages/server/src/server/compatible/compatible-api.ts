import type { HttpResponse } from "../../bindings/http.ts";
import type { ShapeValue } from "../../contract/operation.ts";
import type { restApi } from "../../contract/rest-api.ts";
import type { IncomingRequest } from "../http/incoming-request.ts";

type Resources = (typeof restApi)["operations"];

type Result<Name extends "findPlaces" | "listCityCodes"> = ShapeValue<Resources[Name]["result"]>;

/** Collaborators of the look-ups of others. */
export interface CompatibleApiDeps {
  /**
   * Finds the places of a postal code in a country, the preferred one first.
   *
   * @throws {Fault} when no country has the code.
   */
  findPlaces(country: string, postalCode: string): Result<"findPlaces">;
  /**
   * Lists the codes of a city, once for each state that has one of that name.
   *
   * @param state its abbreviation or name.
   * @throws {Fault} when no country has the code.
   */
  listCityCodes(country: string, state: string, city: string): Promise<Result<"listCityCodes">>;
  /** Counts a request of a client; false when its network has sent too many. */
  consume(request: IncomingRequest): boolean;
  /** Reads known requests by templates (`WFH_FAST_PATH`). */
  readonly fastPath: boolean;
  /** Milliseconds since 1970 UTC. */
  now(): number;
}

/** A look-up of others, in whose place this server responds. */
export interface CompatibleApi {
  readonly methods: readonly string[];
  /** Its paths, as log lines show them: the paths themselves may have values of callers. */
  readonly route: string;
  matches(path: string): boolean;
  respond(request: IncomingRequest): HttpResponse | Promise<HttpResponse>;
  /** Writes an error in the form of that look-up. */
  refuse(status: number, message: string): HttpResponse;
}

/** Reads the body of a request, which may still be arriving. */
export async function bodyOf({ body }: IncomingRequest): Promise<Uint8Array> {
  return typeof body === "function" ? await body() : body;
}
