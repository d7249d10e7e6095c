import assert from "node:assert/strict";
import { test } from "node:test";
import { startServer, startTestServer } from "../test-server.ts";

const { url } = await startTestServer();

async function fetchJson(path: string, base = url) {
  const response = await fetch(`${base}/api/v1/${path}`);
  return { response, body: JSON.parse(await response.text()) };
}

const get = (query: string, base = url) => fetchJson(`places/search?${query}`, base);

test("places/search suggests cities with their state, country and number of codes", async () => {
  const { body } = await get("q=new+yrok&country=us&limit=1");
  assert.equal(body.places.length, 1);
  const [first] = body.places;
  assert.equal(first.city, "New York");
  assert.equal(first.postalCode, null);
  assert.ok(first.postalCodeCount > 100);
  assert.deepEqual([first.state.code, first.country.code], ["NY", "US"]);
});

test("places/search responds with eight suggestions, or with as many as asked for", async () => {
  assert.equal((await get("q=s")).body.places.length, 8);
  assert.equal((await get("q=s&limit=50")).body.places.length, 50);
});

for (const state of ["NY", "ny", "New+York"]) {
  test(`places/search in the state ${state} has its places alone`, async () => {
    const { body } = await get(`q=spring&state=${state}`);
    assert.ok(body.places.length > 0);
    for (const place of body.places) assert.equal(place.state.code, "NY");
  });
}

test("places/search in a state that is empty searches all, in an unknown one none", async () => {
  assert.equal((await get("q=spring&state=")).body.places.length, 8);
  assert.deepEqual((await get("q=spring&state=Atlantis")).body.places, []);
});

test("places/search has an ETag, and 304 for a caller that has it", async () => {
  const { response } = await get("q=spring");
  const headers = { "If-None-Match": response.headers.get("etag") ?? "" };
  assert.equal(response.headers.get("access-control-allow-origin"), "*");
  const again = await fetch(`${url}/api/v1/places/search?q=spring`, { headers });
  assert.equal(again.status, 304);
});

const refused: readonly [query: string, status: number, detail: RegExp][] = [
  ["", 400, /^q is missing/],
  [`q=${"x".repeat(200)}`, 400, /^q must be at most 100 characters long/],
  ["q=x&limit=0", 400, /^limit must be a whole number from 1 to 50/],
  ["q=x&limit=51", 400, /^limit must be/],
  ["q=x&country=USA", 400, /^country must be two letters/],
  ["q=x&country=ZZ", 400, /^No country has the code ZZ/],
  ["q=x&q=y", 400, /given more than once/],
  ["query=x", 400, /^query is not known/],
];

for (const [query, status, detail] of refused) {
  test(`places/search refuses ${query.slice(0, 20)} with ${status}`, async () => {
    const { response, body } = await get(query);
    assert.equal(response.status, status);
    assert.match(body.detail, detail);
  });
}

test("places/search/… is no code of a country", async () => {
  const response = await fetch(`${url}/api/v1/places/search/10001`);
  assert.equal(response.status, 400);
  assert.match(await response.text(), /country must be two letters/);
});

test("cities/… has all codes of a city, in each state that has one", async () => {
  const { body } = await fetchJson("cities/us/schenectady");
  assert.equal(body.status, "found");
  const [first, ...others] = body.cities;
  assert.deepEqual([first.city, first.state.code, others.length], ["Schenectady", "NY", 0]);
  assert.deepEqual(first.postalCodes.slice(0, 2), ["12301", "12302"]);
  const { body: juneau } = await fetchJson("cities/US/Juneau");
  const states = juneau.cities.map(({ state }: { state: { code: string } }) => state.code);
  assert.deepEqual(states, ["AK", "WI"]);
  const { body: inWisconsin } = await fetchJson("cities/US/Juneau?state=wisconsin");
  assert.deepEqual(inWisconsin.cities, [juneau.cities[1]]);
});

test("cities/… finds each code of a city that a look-up has there", async () => {
  const { body } = await fetchJson("cities/CA/st-jean-sur-richelieu");
  const [{ city, postalCodes }] = body.cities;
  for (const code of postalCodes) {
    const { body: found } = await fetchJson(`places/CA/${code}`);
    assert.ok(found.places.some((place: { city: string }) => place.city === city));
  }
});

const withoutCities: readonly [path: string, status: string][] = [
  ["US/Atlantis", "unknown"],
  ["US/%F0%9F%97%BD", "unknown"],
  ["US/", "unknown"],
  ["US/Ottawa?state=ON", "unknown"],
  ["FR/Paris", "unsupported"],
];

for (const [path, status] of withoutCities) {
  test(`cities/${path} is ${status}`, async () => {
    const { body } = await fetchJson(`cities/${path}`);
    assert.deepEqual([body.status, body.cities], [status, []]);
  });
}

const checks: readonly [query: string, status: string, cities: readonly string[]][] = [
  ["US&postalCode=10001", "matches", ["New York"]],
  ["US&postalCode=10001&state=&city=", "matches", ["New York"]],
  ["us&postalCode=10001-1234&state=ny&city=NEW+YORK", "matches", ["New York"]],
  ["US&postalCode=63101&state=Missouri&city=St.+Louis", "matches", ["Saint Louis"]],
  ["CA&postalCode=k1a0b1&state=Ontario&city=ottawa", "matches", ["Ottawa"]],
  ["CA&postalCode=G1A&state=PQ", "matches", ["Quebec City"]],
  ["US&postalCode=10001&state=NY&city=Newark", "city-differs", ["New York"]],
  ["US&postalCode=10001&city=%F0%9F%97%BD", "city-differs", ["New York"]],
  ["US&postalCode=10001&state=NJ&city=New+York", "state-differs", ["New York"]],
  ["US&postalCode=10001&state=Atlantis", "state-differs", ["New York"]],
  ["US&postalCode=99999&city=New+York", "unknown", []],
  ["US&postalCode=search", "unknown", []],
  ["FR&postalCode=75001&city=Paris", "unsupported", []],
];

for (const [query, status, cities] of checks) {
  test(`places/check?country=${query} is ${status}`, async () => {
    const { body } = await fetchJson(`places/check?country=${query}`);
    assert.equal(body.status, status);
    assert.deepEqual(
      body.places.map(({ city }: { city: string }) => city),
      cities,
    );
  });
}

test("places/check without a country or a code is refused", async () => {
  const { response, body } = await fetchJson("places/check?city=Paris");
  assert.equal(response.status, 400);
  assert.deepEqual(
    body.errors.map(({ field }: { field: string }) => field),
    ["country", "postalCode"],
  );
});

test("look-ups are served while the first search makes the index", async (t) => {
  const server = await startServer({ WFH_COUNTRIES: "CA" });
  t.after(() => server.close());
  let isDone = false;
  const searched = get("q=otawa", server.url).finally(() => {
    isDone = true;
  });
  let served = 0;
  while (!isDone) {
    const response = await fetch(`${server.url}/api/v1/places/CA/K1A`);
    assert.equal(response.status, 200);
    await response.text();
    served += 1;
  }
  assert.ok(served > 1, String(served));
  const { body } = await searched;
  assert.equal(body.places[0].city, "Ottawa");
});

test("no text of a search is in the log or in a metric", async (t) => {
  const server = await startServer({ WFH_LOG_LEVEL: "debug" });
  t.after(() => server.close());
  const secret = "Secretville";
  await get(`q=${secret}`, server.url);
  await get(`q=${secret}&limit=0`, server.url);
  await get(`q=x&country=ZZ&state=${secret}`, server.url);
  await fetchJson(`cities/ZZ/${secret}`, server.url);
  await fetchJson(`places/check?country=US&postalCode=1&city=${secret}`, server.url);
  await fetchJson(`places/check?country=ZZ&postalCode=1&city=${secret}`, server.url);
  await fetchJson(`place/search?q=${secret}`, server.url);
  await fetchJson(`city/US/${secret}`, server.url);
  await fetch(`${server.url}/api/v1/cities/US/${secret}`, { method: "DELETE" });
  const metrics = await (await fetch(`${server.adminUrl}/metrics`)).text();
  assert.doesNotMatch(metrics + server.log.join(""), /secretville/i);
  assert.match(server.log.join(""), /searchPlaces/);
  assert.match(server.log.join(""), /"path":"\/api\/v1\/city\/…"/);
  assert.match(server.log.join(""), /"path":"\/api\/v1\/cities\/\{country\}\/\{city\}"/);
});
