import { operationCaching } from "../../bindings/binding.ts";
import type { HttpResponse } from "../../bindings/http.ts";
import { readFormFields } from "../../codec/form/fields.ts";
import { bodyOf, type CompatibleApi, type CompatibleApiDeps } from "./compatible-api.ts";
import { findUsPlace } from "./us-place.ts";

const addresses = "/addresses/v3";
const cityState = `${addresses}/city-state`;

/** Lifetime of a token, in seconds: that of USPS, so that clients renew it as they did. */
const expiresInS = 28_799;

/** Name of the only parameter of the look-up. */
const zipCodeParameter = "ZIPCode";

/**
 * Creates the city-state look-up of USPS Addresses 3.0, with its token: every client gets the same
 * one, and it is never checked.
 */
export function createUspsV3(deps: CompatibleApiDeps): readonly CompatibleApi[] {
  return [
    {
      methods: ["POST"],
      route: "/oauth2/v3/token",
      matches: (path) => path === "/oauth2/v3/token",
      respond: async (request) => {
        // A connection is only kept where its body has been read.
        await bodyOf(request);
        return json(200, tokenHeaders, {
          access_token: "every-token-is-accepted",
          token_type: "Bearer",
          issued_at: deps.now(),
          expires_in: expiresInS,
          status: "approved",
          scope: "addresses",
        });
      },
      refuse: (status, message) =>
        json(status, tokenHeaders, { error: "invalid_request", error_description: message }),
    },
    {
      methods: ["GET", "HEAD"],
      route: addresses,
      matches: (path) => path.startsWith(`${addresses}/`),
      respond: ({ head }) => {
        if (head.path !== cityState) {
          return refuse(404, `Only the city-state look-up is offered, at ${cityState}.`);
        }
        const wanted = [zipCodeParameter.toLowerCase()];
        const zipCode = readFormFields(head.query, { wanted }).values().next().value ?? "";
        if (!/^\d{5}$/.test(zipCode)) {
          return refuse(400, `${zipCodeParameter} must have five digits, as in 10001.`);
        }
        const place = findUsPlace(zipCode, deps);
        return place === undefined
          ? refuse(404, `No place has the ZIP code ${zipCode}.`)
          : json(200, publicHeaders, { ...place, [zipCodeParameter]: zipCode });
      },
      refuse,
    },
  ];
}

function refuse(status: number, message: string): HttpResponse {
  const code = String(status);
  const detail = {
    status: code,
    code,
    title: message,
    detail: message,
    source: { parameter: zipCodeParameter },
  };
  const error = { code, message, errors: [detail] };
  return json(status, publicHeaders, { apiVersion: `${addresses}/`, error });
}

const type = ["Content-Type", "application/json; charset=utf-8"];
const publicHeaders = ["Cache-Control", operationCaching, ...type];
const tokenHeaders = ["Cache-Control", "no-store", ...type];

function json(status: number, headers: readonly string[], value: object): HttpResponse {
  return { status, headers, body: JSON.stringify(value) };
}
