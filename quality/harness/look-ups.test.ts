import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { builtInGazetteer } from "@wfh/server/gazetteer/format/artifact.ts";
import { openGazetteer } from "@wfh/server/gazetteer/format/reader.ts";
import { checkLookUp } from "./look-ups.ts";

const gazetteer = openGazetteer(builtInGazetteer);

/** Holds a response to the place of a code. */
function check(binding: keyof typeof right, code: string, text: string): void {
  const place = gazetteer.findPlace(code, () => 0) ?? assert.fail();
  checkLookUp(binding, { code, place }, text, "http://tempuri.org/");
}

const continent = (content: string) =>
  `<Country><Country_id>840</Country_id><CountryName>United States</CountryName><CountryCode>US</CountryCode>
   <CountryAlias>USA</CountryAlias>${content}<Active>true</Active></Country>`;
const members = (country: string) =>
  `<City>New York</City><State><State_id>84000923</State_id><StateName>New York</StateName>
   <StateAbbreviation>NY</StateAbbreviation>${country}<Active>true</Active></State>`;
const nil = '<Continent xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"/>';
const america =
  "<Continent><Continent_id>3</Continent_id><ContinentName>North America</ContinentName>" +
  "<ContinentCode>NA</ContinentCode></Continent>";

const envelope = `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>
  <PostalCodeToCityStateResponse xmlns="http://tempuri.org/"><PostalCodeToCityStateResult>
  ${members(continent(nil))}
  </PostalCodeToCityStateResult></PostalCodeToCityStateResponse></e:Body></e:Envelope>`;
const document = `<t:LocationUIHelperResponse xmlns:t="http://tempuri.org/">${members(
  continent(america),
).replaceAll(/<(\/?)/g, "<$1t:")}</t:LocationUIHelperResponse>`;
const json = JSON.stringify({
  d: {
    City: "New York",
    State: {
      State_id: 84_000_923,
      StateName: "New York",
      StateAbbreviation: "NY",
      Country: {
        Country_id: 840,
        CountryName: "United States",
        CountryCode: "US",
        CountryAlias: "USA",
        Continent: { Continent_id: 3, ContinentName: "North America", ContinentCode: "NA" },
        Active: true,
      },
      Active: true,
    },
  },
});
const right = { soap11: envelope, "http-get": document, json } as const;

describe("a response to a look-up", () => {
  for (const [binding, text] of Object.entries(right) as [keyof typeof right, string][]) {
    test(`is right over ${binding} when every member is`, () => {
      check(binding, "10001", text);
    });
    test(`is wrong over ${binding} when it is of another place`, () => {
      assert.throws(() => check(binding, "10701", text), /"City":"New York".*Yonkers/);
    });
  }

  const wrong: readonly [why: string, binding: keyof typeof right, from: string, to: string][] = [
    ["a number differs", "json", "84000923", "84000924"],
    ["a number is a text", "json", "840,", '"840",'],
    ["a text differs", "soap11", "USA", "US"],
    ["a member is left out", "soap11", "<CountryCode>US</CountryCode>", ""],
    ["a member comes twice", "http-get", "<t:City>", "<t:City>New York</t:City><t:City>"],
    [
      "members change places",
      "json",
      '"State_id":84000923,"StateName":"New York"',
      '"StateName":"New York","State_id":84000923',
    ],
    ["the continent is filled in", "soap11", nil, america],
    [
      "a prefix is not declared",
      "soap11",
      ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"',
      "",
    ],
    ["members are of another namespace", "soap11", "<City>", '<City xmlns="">'],
    [
      "the envelope is of the other version",
      "soap11",
      "http://schemas.xmlsoap.org/soap/envelope/",
      "http://www.w3.org/2003/05/soap-envelope",
    ],
    ["it is a fault", "soap11", "PostalCodeToCityStateResponse", "Fault"],
    ["it is cut off", "http-get", "</t:LocationUIHelperResponse>", ""],
  ];
  for (const [why, binding, from, to] of wrong) {
    test(`is wrong when ${why}`, () => {
      const text = right[binding].replaceAll(from, to);
      assert.notEqual(text, right[binding]);
      assert.throws(() => check(binding, "10001", text));
    });
  }
});
