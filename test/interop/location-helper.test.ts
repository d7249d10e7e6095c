import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { locationHelper } from "../../src/contract/location-helper.ts";
import { startTestServer } from "../test-server.ts";
import { soapClients } from "./soap-clients.ts";

const server = await startTestServer();
const wsdl = `${server.url}${locationHelper.path}?WSDL`;
const contentTypes = { "1.1": "text/xml", "1.2": "application/soap+xml" } as const;

const lookUp = (operation: string, parts: Readonly<Record<string, string | number>>) => ({
  operation,
  parts,
  cookie: null,
});

/** Members without the continent; what is nil is null, left out, or for zeep an object of nothing. */
function withoutContinent({ Continent, ...country }: Readonly<Record<string, unknown>>) {
  const members = Object.values(Continent ?? {});
  assert.deepEqual(
    members.filter((value) => value !== null),
    [],
    "the continent is nil",
  );
  return country;
}

for (const { name, missing, intOf, run } of soapClients) {
  for (const version of ["1.1", "1.2"] as const) {
    describe(`${name}, SOAP ${version}`, { skip: missing, timeout: 60_000 }, () => {
      const find = (postalCode: string) =>
        run({ wsdl, version, calls: [lookUp("PostalCodeToCityState", { postalCode })] });

      test("a look-up answers the city, its state and its country", async () => {
        const [result] = await find("10001");
        assert.equal(result?.contentType, contentTypes[version]);
        const { City, State } = result.members;
        const { Country, ...state } = State as Readonly<Record<string, unknown>>;
        assert.equal(City, "New York");
        assert.deepEqual(state, {
          State_id: intOf(84_000_923),
          StateName: "New York",
          StateAbbreviation: "NY",
          Active: true,
        });
        assert.deepEqual(withoutContinent(Country as Readonly<Record<string, unknown>>), {
          Country_id: intOf(840),
          CountryName: "United States",
          CountryCode: "US",
          CountryAlias: "USA",
          Active: true,
        });
      });

      test("a postal code that is not found is no result, and no fault", async () => {
        const [result] = await find("00000");
        assert.deepEqual(result?.members, {});
      });

      test("void operations answer that they are done", async () => {
        const calls = [
          lookUp("GetCityStateForPostalCode", { postalCode: "10001" }),
          lookUp("GetStateListForCountryId", { countryId: 840 }),
        ];
        for (const { members, contentType } of await run({ wsdl, version, calls })) {
          assert.deepEqual(members, {});
          assert.equal(contentType, contentTypes[version]);
        }
      });
    });
  }
}
