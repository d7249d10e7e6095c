import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { listen } from "soap";
import { peerPath } from "./peer.ts";

/**
 * The location helper on npm soap: `node node-soap-server.ts WSDL TABLE VERSION`, with `soap11` or
 * `soap12` as the version of SOAP. Prints its address.
 */
const [wsdl = "", table = "", version = ""] = process.argv.slice(2);

const places = new Map(
  readFileSync(table, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\t"))
    .map((fields) => [fields[0] ?? "", fields]),
);

function postalCodeToCityState({ postalCode }: { readonly postalCode: string }) {
  const fields = places.get(postalCode);
  if (fields === undefined) return {};
  const [, city, stateId, state, abbreviation, stateActive, ...country] = fields;
  const [countryId, name, code, alias, countryActive] = country;
  return {
    PostalCodeToCityStateResult: {
      // It writes xsi:nil and leaves the prefix to be declared.
      attributes: { "xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance" },
      City: city,
      State: {
        State_id: stateId,
        StateName: state,
        StateAbbreviation: abbreviation,
        Country: {
          Country_id: countryId,
          CountryName: name,
          CountryCode: code,
          CountryAlias: alias,
          Continent: null,
          Active: countryActive,
        },
        Active: stateActive,
      },
    },
  };
}

const operations = { PostalCodeToCityState: postalCodeToCityState };
// It takes the first port of the WSDL, since both have one address.
const ports = { LocationUIHelperSoap: operations, LocationUIHelperSoap12: operations };
const server = createServer((_request, response) => response.writeHead(404).end());
listen(server, {
  path: peerPath,
  services: { LocationUIHelper: ports },
  xml: readFileSync(wsdl, "utf8"),
  forceSoap12Headers: version === "soap12",
  // Otherwise every response goes out in chunks, which costs it more.
  enableChunkedEncoding: false,
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object" && address !== null)
    console.log(`http://127.0.0.1:${address.port}`);
});
