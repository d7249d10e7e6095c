import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestServer } from "../test-server.ts";

const server = await startTestServer({ WFH_LOG_LEVEL: "debug" });
const service = `${server.url}/api/LocationUIHelper.asmx`;

const places: readonly (readonly [string, string, string])[] = [
  ["10001", "New York", "NY"],
  ["02108-1234", "Boston", "MA"],
  ["００６０１", "Adjuntas", "PR"],
  [" 99950 ", "Ketchikan", "AK"],
];
for (const [code, city, state] of places) {
  test(`the postal code ${JSON.stringify(code)} is ${city} ${state}`, async () => {
    const query = new URLSearchParams({ postalCode: code });
    const text = await (await fetch(`${service}/PostalCodeToCityState?${query}`)).text();
    assert.match(text, new RegExp(`<City>${city}</City>`));
    assert.match(text, new RegExp(`<StateAbbreviation>${state}</StateAbbreviation>`));
  });
}

for (const code of [
  "00000",
  "",
  "x".repeat(5_000),
  "'; DROP TABLE x; --",
  "\u0000\u202e😀",
  "💩".repeat(20),
]) {
  test(`the postal code ${JSON.stringify(code.slice(0, 24))} gets an empty result`, async () => {
    const body = new URLSearchParams({ postalCode: code });
    const response = await fetch(`${service}/PostalCodeToCityState`, { method: "POST", body });
    assert.equal(response.status, 200);
    assert.match(await response.text(), /<LocationUIHelperResponse [^>]*xsi:nil="true"[^>]* \/>$/);
  });
}

test("what a void operation found is seen in the log, under the id of the request", async () => {
  const response = await fetch(`${service}/GetStateListForCountryId?countryId=840`);
  assert.equal(await response.text(), "");
  const id = response.headers.get("x-request-id");
  const line = server.log
    .map((entry) => JSON.parse(entry))
    .find(({ requestId }) => requestId === id);
  assert.equal(line.operation, "GetStateListForCountryId");
  assert.equal(line.found, 62);
});

test("a refused call is one line of the log with its reason, whatever the caller sends", async () => {
  const hostile = "a\r\nb\u001b[31m\u2028c\u0085";
  const body = new URLSearchParams({ countryId: hostile });
  const response = await fetch(`${service}/GetStateListForCountryId`, { method: "POST", body });
  assert.equal(response.status, 500);
  const id = response.headers.get("x-request-id");
  const lines = server.log.filter((entry) => entry.includes(`"${id}"`));
  assert.equal(lines.length, 1);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for control characters
  assert.doesNotMatch(lines[0] ?? "", /[\0-\x09\x0b-\x1f\x7f-\x9f\u2028].*\n/);
  assert.equal(JSON.parse(lines[0] ?? "").hint, "countryId: unreadable");
});

test("every response forbids sniffing, framing and scripts", async () => {
  for (const path of ["", "/PostalCodeToCityState?postalCode=10001", "/Nope"]) {
    const { headers } = await fetch(service + path);
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.match(
      headers.get("content-security-policy") ?? "",
      /^(?:default-src 'none'|sandbox);.* frame-ancestors 'none'/,
    );
    assert.equal(headers.get("server"), null);
    assert.equal(headers.get("x-powered-by"), null);
  }
});
