import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestServer } from "../test-server.ts";
import { get, openConnection, statusesIn } from "./connection.ts";

const all = { WFH_COMPATIBLE_APIS: "usps,usps-v3,zippopotam" };
const server = await startTestServer({ ...all, WFH_LOG_LEVEL: "debug" });
const limited = await startTestServer({ ...all, WFH_PAGE_REQUESTS_PER_NETWORK: "1" });
const plain = await startTestServer();

const userId = "S3CR3TUSER";
const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n';

function requestOf(...zipCodes: readonly string[]): string {
  const elements = zipCodes.map((code, id) => `<ZipCode ID="${id}"><Zip5>${code}</Zip5></ZipCode>`);
  return `<CityStateLookupRequest USERID="${userId}">${elements.join("")}</CityStateLookupRequest>`;
}

function queryOf(xml: string, api = "CityStateLookup"): string {
  return `API=${api}&XML=${encodeURIComponent(xml)}`;
}

async function getText(path: string): Promise<{ status: number; body: string }> {
  const response = await fetch(`${server.url}${path}`);
  return { status: response.status, body: await response.text() };
}

const newYork =
  '<CityStateLookupResponse><ZipCode ID="0"><Zip5>10001</Zip5><City>NEW YORK</City><State>NY</State></ZipCode></CityStateLookupResponse>';

for (const path of ["/ShippingAPI.dll", "/ShippingAPITest.dll", "/shippingapi.DLL"]) {
  test(`USPS Web Tools: GET ${path} returns city and state in capitals`, async () => {
    const response = await fetch(`${server.url}${path}?${queryOf(requestOf("10001"))}`);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get("content-type"), "text/xml; charset=utf-8");
    assert.equal(await response.text(), declaration + newYork);
  });
}

test("USPS Web Tools: POST takes the fields of a form", async () => {
  const body = new URLSearchParams({ API: "CityStateLookup", XML: requestOf("10001") });
  const response = await fetch(`${server.url}/ShippingAPI.dll`, { method: "POST", body });
  assert.equal(await response.text(), declaration + newYork);
});

test("USPS Web Tools: POST takes the API of the query and the XML of the form", async () => {
  const body = new URLSearchParams({ XML: requestOf("10001") });
  const path = "/ShippingAPI.dll?API=CityStateLookup";
  const response = await fetch(`${server.url}${path}`, { method: "POST", body });
  assert.equal(await response.text(), declaration + newYork);
});

test("USPS Web Tools: five codes are found in one request, an unknown one with the error of USPS", async () => {
  const xml = requestOf("63101", "00601", "09001", "00000", "92028");
  const { body } = await getText(`/ShippingAPI.dll?${queryOf(xml)}`);
  const found = [...body.matchAll(/<ZipCode ID="(\d)"><Zip5>\d+<\/Zip5><City>(.*?)<\/City>/g)];
  assert.deepEqual(
    found.map(([, id, city]) => `${id} ${city}`),
    ["0 SAINT LOUIS", "1 ADJUNTAS", "2 APO", "4 FALLBROOK"],
  );
  assert.ok(
    body.includes(
      '<ZipCode ID="3"><Error><Number>-2147219399</Number><Source>WebtoolsAMS;CityStateLookup</Source><Description>Invalid Zip Code.</Description><HelpFile/><HelpContext/></Error></ZipCode>',
    ),
    body,
  );
});

for (const [name, query] of [
  ["+ for a blank", queryOf(requestOf("10001")).replaceAll("%20", "+")],
  ["raw < and >", `API=CityStateLookup&XML=${requestOf("10001").replaceAll(" ", "%20")}`],
  ["names in small letters", `api=citystatelookup&xml=${encodeURIComponent(requestOf("10001"))}`],
] as const) {
  test(`USPS Web Tools: a query with ${name} is read`, async () => {
    const connection = await openConnection(server.url);
    await connection.send(get(`/ShippingAPI.dll?${query}`, "Connection: close\r\n"));
    const received = await connection.closed();
    assert.deepEqual(statusesIn(received), [200]);
    assert.ok(received.endsWith(newYork), received);
  });
}

for (const [name, query, message] of [
  ["a sixth code", queryOf(requestOf(..."123456")), "Expected 1 to 5 ZipCode elements, found 6."],
  ["no code", queryOf(requestOf()), "Expected 1 to 5 ZipCode elements, found 0."],
  ["a DOCTYPE", queryOf(`<!DOCTYPE a>${requestOf("1")}`), "DTD is prohibited"],
  ["another element", queryOf("<a>&lt;</a>"), "Expected CityStateLookupRequest, found a."],
  ["no XML", "API=CityStateLookup", "XML Syntax Error"],
  ["another API", queryOf("<a/>", "Verify"), "The API Verify is not offered."],
  ["markup as the API", queryOf("<a/>", "%3Cb%3E"), "The API &lt;b&gt; is not offered."],
  ["no query", "", "No API is named. Use API=CityStateLookup."],
] as const) {
  test(`USPS Web Tools: ${name} is an error in the form of USPS`, async () => {
    const { status, body } = await getText(`/ShippingAPI.dll?${query}`);
    assert.equal(status, 200);
    assert.match(
      body,
      /^<\?xml [^\n]*\n<Error><Number>80040B1[9A]<\/Number><Description>.*<\/Description><Source>USPSCOM::DoAuth<\/Source><\/Error>$/,
    );
    assert.ok(body.includes(message), body);
  });
}

for (const [length, status] of [
  [64_000, 413],
  [70_000, 413],
] as const) {
  test(`USPS Web Tools: a form of ${length} bytes is an error in the form of USPS`, async () => {
    const body = new URLSearchParams({ API: "CityStateLookup", XML: "<a>".repeat(length / 9) });
    const response = await fetch(`${server.url}/ShippingAPI.dll`, { method: "POST", body });
    assert.equal(response.status, status);
    assert.match(await response.text(), /<Error><Number>80040B19<\/Number>.*longer than/);
  });
}

test("USPS Web Tools: other texts than five digits are invalid, and are not repeated", async () => {
  for (const text of ["1000", "10001-1234", "１０００１", "K1A", "&lt;a&gt;"]) {
    const { body } = await getText(`/ShippingAPI.dll?${queryOf(requestOf(text))}`);
    assert.match(body, /<ZipCode ID="0"><Error>.*Invalid Zip Code/, text);
    assert.ok(!body.includes(text));
  }
});

test("USPS Web Tools: an ID is returned as it was sent, and the position without one", async () => {
  const codes = "<ZipCode ID='&lt;\"x'><Zip5>1</Zip5></ZipCode><ZipCode/>";
  const xml = `<CityStateLookupRequest>${codes}</CityStateLookupRequest>`;
  const { body } = await getText(`/ShippingAPI.dll?${queryOf(xml)}`);
  assert.match(body, /<ZipCode ID="&lt;&quot;x">.*<ZipCode ID="1">/);
});

test("USPS Addresses 3.0: every client gets a token, with JSON or a form", async () => {
  for (const body of [
    JSON.stringify({ grant_type: "client_credentials", client_id: "a", client_secret: "b" }),
    new URLSearchParams({ grant_type: "client_credentials" }),
  ]) {
    const response = await fetch(`${server.url}/oauth2/v3/token`, { method: "POST", body });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get("cache-control"), "no-store");
    const token = JSON.parse(await response.text());
    assert.equal(token.token_type, "Bearer");
    assert.equal(typeof token.access_token, "string");
    assert.ok(token.expires_in > 0 && token.issued_at > 0);
  }
});

test("USPS Addresses 3.0: a ZIP code has its city in capitals and its state", async () => {
  const { status, body } = await getText("/addresses/v3/city-state?ZIPCode=63101");
  assert.equal(status, 200);
  assert.deepEqual(JSON.parse(body), { city: "SAINT LOUIS", state: "MO", ZIPCode: "63101" });
});

for (const [path, expected] of [
  ["/addresses/v3/city-state?ZIPCode=00000", 404],
  ["/addresses/v3/city-state?ZIPCode=1000", 400],
  ["/addresses/v3/city-state", 400],
  ["/addresses/v3/address?streetAddress=1+Main+St", 404],
] as const) {
  test(`USPS Addresses 3.0: ${path} is an error of status ${expected} in the form of USPS`, async () => {
    const { status, body } = await getText(path);
    assert.equal(status, expected);
    const { apiVersion, error } = JSON.parse(body);
    assert.equal(apiVersion, "/addresses/v3/");
    assert.equal(error.code, String(expected));
    assert.notEqual(error.message, "");
    assert.equal(error.errors[0].detail, error.message);
  });
}

test("Zippopotam: a code has its places with coordinates, for pages of all origins", async () => {
  const response = await fetch(`${server.url}/us/90210`, {
    headers: { Origin: "https://example.org" },
  });
  assert.equal(response.headers.get("access-control-allow-origin"), "*");
  assert.deepEqual(await response.json(), {
    "post code": "90210",
    country: "United States",
    "country abbreviation": "US",
    places: [
      {
        "place name": "Beverly Hills",
        longitude: "-118.4065",
        latitude: "34.0901",
        state: "California",
        "state abbreviation": "CA",
      },
    ],
  });
});

test("Zippopotam: a code of another country is found in small letters, with escapes", async () => {
  for (const path of ["/ca/k1a", "/CA/K1A%200B1", "/ca/k1a+0b1/"]) {
    const { status, body } = await getText(path);
    assert.equal(status, 200, path);
    assert.equal(JSON.parse(body).places[0]["state abbreviation"], "ON");
  }
});

test("Zippopotam: a city has its codes with coordinates", async () => {
  const { status, body } = await getText("/us/ny/schenectady");
  assert.equal(status, 200);
  const { places, ...city } = JSON.parse(body);
  assert.deepEqual(city, {
    country: "United States",
    "country abbreviation": "US",
    "place name": "Schenectady",
    state: "New York",
    "state abbreviation": "NY",
  });
  assert.equal(places.length, 11);
  assert.equal(places[0]["post code"], "12301");
  assert.match(places[0].latitude, /^42\.\d+$/);
  assert.match(places[0].longitude, /^-73\.\d+$/);
});

test("Zippopotam: a city is found with blanks, in any case and by a short form", async () => {
  for (const path of ["/US/NY/New%20York", "/us/ny/new+york", "/us/mo/st.%20louis"]) {
    const { status, body } = await getText(path);
    assert.equal(status, 200, path);
    assert.ok(JSON.parse(body).places.length > 10);
  }
});

for (const path of [
  "/us/ny/atlantis",
  "/us/zz/schenectady",
  "/us/ny/%F0%9F%98%80",
  `/us/ny/${"a".repeat(7_000)}`,
  "/zz/ny/schenectady",
  "/de/be/berlin",
  "/us/00000",
  "/zz/90210",
  "/de/10115",
  "/us/%F0%9F%98%80",
  "/us/%ZZ",
]) {
  test(`Zippopotam: ${path.slice(0, 40)} is not found`, async () => {
    assert.deepEqual(await getText(path), { status: 404, body: "{}" });
  });
}

test("another method is refused", async () => {
  for (const [path, allow] of [
    ["/us/90210", "GET, HEAD"],
    ["/ShippingAPI.dll", "GET, HEAD, POST"],
    ["/oauth2/v3/token", "POST"],
  ] as const) {
    const response = await fetch(`${server.url}${path}`, { method: "PUT" });
    assert.equal(response.status, 405);
    assert.equal(response.headers.get("allow"), allow);
  }
});

test("a network that sends too many requests is refused in the form of each look-up", async () => {
  const first = await fetch(`${limited.url}/us/90210`);
  assert.equal(first.status, 200);
  for (const [path, form] of [
    [`/ShippingAPI.dll?${queryOf(requestOf("10001"))}`, /<Error>.*from your network/],
    ["/addresses/v3/city-state?ZIPCode=10001", /"message":"Too many/],
    ["/us/90210", /^\{\}$/],
  ] as const) {
    const response = await fetch(`${limited.url}${path}`);
    assert.equal(response.status, 503);
    assert.match(response.headers.get("retry-after") ?? "", /^\d$/);
    assert.match(await response.text(), form);
  }
});

test("without the setting nothing is served there", async () => {
  for (const path of [
    "/ShippingAPI.dll",
    "/us/90210",
    "/addresses/v3/city-state",
    "/oauth2/v3/token",
  ]) {
    const response = await fetch(`${plain.url}${path}`);
    assert.equal(response.status, 404);
    assert.match(await response.text(), /^Nothing is served at .* Available: /);
  }
});

test("no user ID, query, code or city is logged", async () => {
  await fetch(`${server.url}/us/98765432`);
  await fetch(`${server.url}/us/98765432`, { method: "DELETE" });
  await fetch(`${server.url}/us/ny/98765432`);
  await getText(`/ShippingAPI.dll?${queryOf(requestOf("98765432"))}`);
  await getText("/addresses/v3/city-state?ZIPCode=98765432");
  const log = server.log.join("");
  assert.match(log, /"path":"\/\{country\}\/\{code\}"/);
  assert.match(log, /"path":"\/addresses\/v3"/);
  assert.doesNotMatch(log, new RegExp(`${userId}|98765432|ZipCode`, "i"));
});
