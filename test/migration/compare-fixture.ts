import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ajaxEndpoint } from "../../src/contract/ajax-endpoint.ts";
import { locationHelper } from "../../src/contract/location-helper.ts";
import { compareExchange } from "../../src/migration/compare/compare.ts";
import type { WholeResponse } from "../../src/migration/compare/response.ts";
import type { RuleBook } from "../../src/migration/compare/rules.ts";
import { bytesOf, type Exchange, parseExchange } from "../../src/migration/exchange.ts";
import { endpointNamespace, locationNamespace } from "../test-server.ts";

/** Recording of requests of all kinds with the responses of the reference stack. */
export const referenceFile = fileURLToPath(new URL("reference.ndjson", import.meta.url));

export const services = [locationHelper, ajaxEndpoint];

/** Settings of a server with the namespaces of the recording. */
export const namespaces = `WFH_LOCATION_NAMESPACE = "${locationNamespace}"
WFH_ENDPOINT_NAMESPACE = "${endpointNamespace}"
`;

/** The exchanges of the recording. */
export function readReference(): readonly Exchange[] {
  const lines = readFileSync(referenceFile, "utf8").trimEnd().split("\n");
  return lines.map((line) => parseExchange(JSON.parse(line)));
}

/** The response of an exchange, with its bytes. */
export function responseOf({ response }: Exchange): WholeResponse {
  if (response === null) throw new Error("There is no response");
  return { ...response, body: bytesOf(response.body) ?? Buffer.alloc(0) };
}

/** Compares another response with that of an exchange. */
export function compareWith(exchange: Exchange, ours: WholeResponse, rules: RuleBook) {
  const { request, operation, binding } = exchange;
  const body = bytesOf(request.body) ?? Buffer.alloc(0);
  const compared = { ...request, body, operation, binding };
  return compareExchange(compared, responseOf(exchange), ours, rules);
}
