import assert from "node:assert/strict";
import {
  type InteropCase,
  isVoid,
  mediaTypes,
  type Row,
  shownAs,
  succeeds,
} from "./interop-case.ts";
import type { Shown, SoapCall } from "./soap-client.ts";

function newYork({ shown, continent }: { shown: Shown; continent: unknown }): unknown {
  const country = shownAs({
    Country_id: shown.int(840),
    CountryName: "United States",
    CountryCode: "US",
    CountryAlias: "USA",
    Continent: continent,
    Active: shown.boolean(true),
  });
  const state = {
    State_id: shown.int(84_000_923),
    StateName: "New York",
    StateAbbreviation: "NY",
    Country: country,
    Active: shown.boolean(true),
  };
  return { City: "New York", State: state };
}

/** Contract §2.2 and decision 0008: nil over SOAP, filled in over HTTP GET and POST. */
function continentOf({ client: { shown }, binding }: Row): unknown {
  if (binding.startsWith("SOAP")) {
    return shown.nilShape(["Continent_id", "ContinentName", "ContinentCode"]);
  }
  return { Continent_id: shown.int(3), ContinentName: "North America", ContinentCode: "NA" };
}

function lookUp(operation: string, parts: SoapCall["parts"]) {
  return { wsdl: "location", operation, parts } as const;
}

/** Calls of the location helper. */
export const lookUpCases: readonly InteropCase[] = [
  {
    column: "PostalCodeToCityState",
    rule: "a look-up returns the city, its state, its country and the continent",
    call: () => lookUp("PostalCodeToCityState", { postalCode: "10001" }),
    check: (outcome, row) => {
      succeeds(outcome);
      const { shown } = row.client;
      assert.deepEqual(outcome.result, newYork({ shown, continent: continentOf(row) }));
      assert.equal(outcome.mediaType, mediaTypes[row.binding]);
    },
  },
  {
    column: "PostalCodeToCityState",
    rule: "a postal code that is not found is no result, and no fault",
    call: () => lookUp("PostalCodeToCityState", { postalCode: "00000" }),
    check: isVoid,
  },
  {
    column: "GetCityStateForPostalCode",
    rule: "a void operation confirms that it is done",
    call: () => lookUp("GetCityStateForPostalCode", { postalCode: "10001" }),
    check: isVoid,
  },
  {
    column: "GetStateListForCountryId",
    rule: "a void operation that takes a number confirms that it is done",
    call: () => lookUp("GetStateListForCountryId", { countryId: 840 }),
    check: isVoid,
  },
];
