import assert from "node:assert/strict";
import { test } from "node:test";
import { soapPost } from "../soap.ts";
import { locationNamespace, startTestServer } from "../test-server.ts";

const { url } = await startTestServer({ WFH_COUNTRIES: "US" });

async function getText(path: string): Promise<string> {
  return (await fetch(`${url}${path}`)).text();
}

const service = "/api/LocationUIHelper.asmx/PostalCodeToCityState";

test("WFH_COUNTRIES: HTTP GET finds the codes of a country that is served, and no others", async () => {
  assert.match(await getText(`${service}?postalCode=10001`), /<City>New York<\/City>/);
  assert.doesNotMatch(await getText(`${service}?postalCode=K1A0B1`), /<City>/);
});

test("WFH_COUNTRIES: SOAP does not find the codes of other countries", async () => {
  const operation = `<PostalCodeToCityState xmlns="${locationNamespace}"><postalCode>K1A</postalCode></PostalCodeToCityState>`;
  const request = soapPost("1.1", operation, `${locationNamespace}PostalCodeToCityState`);
  const response = await fetch(`${url}/api/LocationUIHelper.asmx`, request);
  assert.equal(response.status, 200);
  assert.doesNotMatch(await response.text(), /Ottawa/);
});

test("WFH_COUNTRIES: REST says that other countries are not supported", async () => {
  const found = JSON.parse(await getText("/api/v1/places/CA/K1A"));
  assert.deepEqual([found.status, found.places], ["unsupported", []]);
  const { countries } = JSON.parse(await getText("/api/v1/countries"));
  const having = countries.filter((one: { hasPostalCodes: boolean }) => one.hasPostalCodes);
  assert.deepEqual(
    having.map(({ code }: { code: string }) => code),
    ["US"],
  );
});

test("WFH_COUNTRIES: the root page counts the codes that are served", async () => {
  const page = await getText("/");
  assert.match(page, /42,807/);
  assert.doesNotMatch(page, /44,459/);
});
