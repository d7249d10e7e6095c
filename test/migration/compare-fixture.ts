import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Exchange, parseExchange } from "../../src/migration/exchange.ts";
import { endpointNamespace, locationNamespace } from "../test-server.ts";

/** Recording of requests of all kinds with the responses of the reference stack. */
export const referenceFile = fileURLToPath(new URL("reference.ndjson", import.meta.url));

/** Settings of a server with the namespaces of the recording. */
export const namespaces = `WFH_LOCATION_NAMESPACE = "${locationNamespace}"
WFH_ENDPOINT_NAMESPACE = "${endpointNamespace}"
`;

/** The exchanges of the recording. */
export function readReference(): readonly Exchange[] {
  const lines = readFileSync(referenceFile, "utf8").trimEnd().split("\n");
  return lines.map((line) => parseExchange(JSON.parse(line)));
}
