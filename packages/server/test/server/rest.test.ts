import assert from "node:assert/strict";
import { test } from "node:test";
import { restApi } from "../../src/contract/rest-api.ts";
import { startTestServer } from "../test-server.ts";
import { forms, openSite, password } from "./log-in-server.ts";

const server = await startTestServer({ WFH_ALLOWED_ORIGINS: "https://friend.example" });
const base = `${server.url}${restApi.path}`;

interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly errors?: readonly { field: string; index?: number; detail: string }[];
  readonly requestId: string;
}

async function get(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${base}/${path}`, { headers });
  return { response, body: JSON.parse(await response.text()) };
}

async function post(path: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${base}/${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return { response, body: text === "" ? undefined : JSON.parse(text) };
}

function assertProblem(
  { response, body }: { response: Response; body: Problem },
  status: number,
  name: string,
): void {
  assert.equal(response.status, status, JSON.stringify(body));
  assert.equal(response.headers.get("content-type"), "application/problem+json");
  assert.equal(body.type, `/api/v1/problems/${name}`);
  assert.equal(body.status, status);
  assert.equal(body.requestId, response.headers.get("x-request-id"));
  assert.match(body.detail, /[.?)]$/);
}

test("a postal code has all its places, with state, country and the day of the data", async () => {
  const { response, body } = await get("places/us/10001-1234");
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("content-type"), "application/json");
  const { places, dataDate, ...facts } = body;
  assert.deepEqual(facts, { status: "found", country: "US", postalCode: "10001-1234" });
  assert.match(dataDate, /^\d{4}-\d{2}-\d{2}$/);
  assert.equal(places.length, 1);
  assert.deepEqual(places[0].city, "New York");
  const { id, code, name } = places[0].state;
  assert.deepEqual([id, code, name], [84_000_923, "NY", "New York"]);
  assert.equal(places[0].country.code, "US");
  assert.equal(places[0].county, "New York");
  assert.deepEqual(places[0].coordinates, { latitude: 40.7484, longitude: -73.9967 });
});

test("county and coordinates are null where the data has none", async () => {
  const { body } = await get("places/US/34001");
  const [place] = body.places;
  assert.deepEqual([place.city, place.county, place.coordinates], ["DPO", null, null]);
});

const statuses: readonly [path: string, status: string, country: string | null][] = [
  ["places/US/99999", "unknown", "US"],
  ["places/US/ABC", "malformed", "US"],
  ["places/US/1234", "malformed", "US"],
  ["places/FR/75001", "unsupported", "FR"],
  ["places?postalCode=10001", "found", "US"],
  ["places?postalCode=%F0%9F%98%80", "malformed", null],
  ["places?postalCode=99999999", "unknown", null],
];
for (const [path, status, country] of statuses) {
  test(`the response of ${path} says ${status}`, async () => {
    const { response, body } = await get(path);
    assert.deepEqual([response.status, body.status, body.country], [200, status, country]);
    assert.equal(body.places.length > 0, status === "found");
  });
}

test("states of a country come with other names, and countries say where there are codes", async () => {
  const { body: canada } = await get("countries/CA/states");
  const yukon = canada.states.find(({ code }: { code: string }) => code === "YT");
  assert.deepEqual(yukon.aliases, ["Yukon Territory", "YK"]);
  const { body: all } = await get("countries");
  assert.ok(all.countries.length > 200);
  const codes = all.countries.filter((one: { hasPostalCodes: boolean }) => one.hasPostalCodes);
  assert.deepEqual(
    codes.map(({ code }: { code: string }) => code),
    ["CA", "US"],
  );
});

test("look-ups are open to pages of every origin, and cached until the data changes", async () => {
  const { response } = await get("places/US/10001", { Origin: "https://any.example" });
  assert.equal(response.headers.get("access-control-allow-origin"), "*");
  assert.equal(response.headers.get("cache-control"), "public, max-age=3600");
  const etag = response.headers.get("etag") ?? "";
  const same = await fetch(`${base}/places/US/10001`, { headers: { "If-None-Match": etag } });
  assert.deepEqual([same.status, await same.text(), same.headers.get("etag")], [304, "", etag]);
  const head = await fetch(`${base}/places/US/10001`, { method: "HEAD" });
  assert.deepEqual([head.status, await head.text()], [200, ""]);
  const preflight = await fetch(`${base}/places/US/10001`, {
    method: "OPTIONS",
    headers: { Origin: "https://any.example", "Access-Control-Request-Method": "GET" },
  });
  assert.equal(preflight.status, 204);
  assert.equal(preflight.headers.get("access-control-allow-origin"), "*");
  assert.equal(preflight.headers.get("access-control-allow-headers"), "*");
  assert.equal(preflight.headers.get("access-control-allow-credentials"), null);
});

test("only a response that is the same for all origins comes without Vary: Origin", async () => {
  const varyOf = async (path: string) => (await fetch(path)).headers.get("vary");
  assert.equal(await varyOf(`${base}/places/US/10001`), null);
  assert.equal(await varyOf(`${base}/places/ZZ/10001`), null);
  assert.equal(await varyOf(`${base}/openapi.json`), null);
  assert.equal(await varyOf(`${base}/nothing`), "Origin");
});

for (const path of [
  "places/US/10001?_=1792000000000",
  "places?postalCode=10001&_=1&_=2&__proto__=3",
  "countries?utm_source=mail&_ga=1",
]) {
  test(`GET ${path} ignores what libraries add`, async () => {
    const [found, plain] = await Promise.all([get(path), get(path.replace(/[?&](?:_|utm).*/, ""))]);
    assert.equal(found.response.status, 200);
    assert.deepEqual(found.body, plain.body);
  });
}

const wrongGets: readonly [path: string, status: number, name: string, detail: RegExp][] = [
  ["countries/ZZ/states", 404, "not-found", /ZZ/],
  ["places/ZZ/1000", 404, "not-found", /ZZ/],
  ["places/USA/10001", 400, "invalid-request", /country must be/],
  ["places", 400, "invalid-request", /postalCode is missing/],
  ["places?postalcode=1", 400, "invalid-request", /did you mean postalCode\?/],
  ["places?postalCode=1&postalCode=2", 400, "invalid-request", /more than once/],
  ["places/US/10001?country=DE", 400, "invalid-request", /country is not known/],
  ["countries?x=1", 400, "invalid-request", /no parameters/],
  ["places?postalCode=1&constructor=2", 400, "invalid-request", /constructor is not known/],
  ["nothing", 404, "not-found", /openapi\.json/],
  ["places/US/10001/x", 404, "not-found", /openapi\.json/],
];
for (const [path, status, name, detail] of wrongGets) {
  test(`GET ${path} is a problem of kind ${name}`, async () => {
    const result = await get(path);
    assertProblem(result, status, name);
    assert.match(result.body.detail, detail);
  });
}

for (const origin of [`https://${"a".repeat(300)}.example`, "https://\u00e9.example"]) {
  test(`an Origin that no browser sends is not repeated in a header: ${origin.slice(0, 20)}`, async () => {
    const { response } = await post("page-requests", {}, { Origin: origin });
    assert.equal(response.status, 403);
    assert.equal(response.headers.get("access-control-allow-origin"), null);
  });
}

test("an unknown country is named as the field that is wrong", async () => {
  const { body } = await get("countries/ZZ/states");
  assert.deepEqual(
    (body as Problem).errors?.map(({ field }) => field),
    ["country"],
  );
});

test("a wrong method is told the right ones", async () => {
  const response = await fetch(`${base}/places`, { method: "DELETE" });
  assertProblem({ response, body: (await response.json()) as Problem }, 405, "method-not-allowed");
  assert.equal(response.headers.get("allow"), "GET, HEAD");
});

async function storedOf(formId: bigint) {
  return (await server.stored()).filter((row) => row.formId === formId);
}

test("a page request is stored with all its fields, exactly", async () => {
  const given = {
    formId: "9007199254740993",
    transId: "-9223372036854775808",
    pageRequestUrl: "https://forms.example/a?password=hunter2",
    applicationInstanceId: 3,
    isAuthenticated: true,
    contactId: "9223372036854775807",
    screenWidth: 1920,
    screenHeight: null,
    sessionDate: "2020-01-02T03:04:05Z",
    eventKey: "key-of-all-fields",
    referrer: "https://forms.example/b?token=abc",
    kind: "view",
    step: "2 of 3",
  };
  const { response } = await post("page-requests", given);
  assert.equal(response.status, 204);
  const [row] = await storedOf(9_007_199_254_740_993n);
  assert.ok(row);
  assert.equal(row.transId, -9_223_372_036_854_775_808n);
  assert.equal(row.pageUrl, "https://forms.example/a?password=[redacted]");
  assert.equal(row.referrer, "https://forms.example/b?token=[redacted]");
  assert.deepEqual([row.kind, row.step, row.eventKey], ["view", "2 of 3", "key-of-all-fields"]);
  assert.equal(row.contactId, 9_223_372_036_854_775_807n);
  assert.equal(row.screenHeight, null);
});

test("a key that comes again is acknowledged and stored once for its form", async () => {
  const one = { formId: "501", eventKey: "same-key" };
  const sent = Array.from({ length: 5 }, () => post("page-requests", one));
  const beacon = post("page-requests", JSON.stringify(one), { "Content-Type": "text/plain" });
  const batch = post("page-requests", [one, one, { formId: "502", eventKey: "same-key" }]);
  for (const { response } of await Promise.all([...sent, beacon, batch])) {
    assert.equal(response.status, 204);
  }
  assert.equal((await storedOf(501n)).length, 1);
  assert.equal((await storedOf(502n)).length, 1);
});

test("page requests without a key are each stored", async () => {
  await Promise.all([
    post("page-requests", { formId: "503" }),
    post("page-requests", { formId: "503" }),
  ]);
  assert.equal((await storedOf(503n)).length, 2);
});

test("thousands of unknown names cost no more than a few", async () => {
  const body = Object.fromEntries(Array.from({ length: 4_000 }, (_, i) => [`formI${i}`, 1]));
  const result = await post("page-requests", body);
  assertProblem(result, 400, "invalid-request");
  assert.equal((result.body as Problem).errors?.length, 20);
});

test("a rounded id is not repeated as the id to send", async () => {
  const { body } = await post("page-requests", '{"formId":20260114093000417}');
  assert.doesNotMatch(JSON.stringify(body), /20260114/);
});

test("a batch beyond the limit of its network stores nothing, and its detail says so", async () => {
  const limited = await startTestServer({
    WFH_PAGE_REQUESTS_PER_NETWORK: "60",
    WFH_BODY_BYTES_MAX: "1048576",
  });
  const send = (count: number) =>
    fetch(`${limited.url}${restApi.path}/page-requests`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(
        Array.from({ length: count }, (_, i) => ({ formId: "7", eventKey: `limited-${i}` })),
      ),
    });
  const refused = await send(61);
  assert.equal(refused.status, 503);
  assert.match(((await refused.json()) as Problem).detail, /^No page request was stored/);
  assert.equal((await send(60)).status, 204);
  assert.equal((await limited.stored()).length, 60);
});

const good = { formId: "600", eventKey: "good-key-1" };
const wrongPageRequests: readonly [rule: string, body: unknown, fields: readonly string[]][] = [
  ["an id that is a number", { formId: 12 }, ["formId"]],
  ["an id that a number has rounded", '{"formId":9007199254740993}', ["formId"]],
  ["an id beyond 64 bits", { formId: "9223372036854775808" }, ["formId"]],
  ["a fraction", { screenWidth: 1.5 }, ["screenWidth"]],
  ["a number beyond 32 bits", { screenWidth: 2 ** 31 }, ["screenWidth"]],
  ["a time that is none", { sessionDate: "yesterday" }, ["sessionDate"]],
  ["a short key", { formId: "1", eventKey: "short" }, ["eventKey"]],
  ["a key without a form", { eventKey: "good-key-2" }, ["formId"]],
  ["a name of the contract's own", { form_id: "1" }, ["form_id"]],
  [
    "several that are wrong",
    { formId: 1, kind: "A B", isAuthenticated: "yes" },
    ["formId", "kind", "isAuthenticated"],
  ],
  ["two of a batch", [good, { ...good, kind: 5 }, { formId: "600" }], ["1 kind", "2 eventKey"]],
  ["a batch without keys", [good, { formId: "600" }], ["1 eventKey"]],
  [
    "several of a batch",
    [good, { formId: 1, eventKey: "x" }, { formId: "600" }, { eventKey: "good-key-3" }],
    ["1 formId", "1 eventKey", "2 eventKey", "3 formId"],
  ],
  ["an array of one without a key", [{ formId: "600" }], ["0 eventKey"]],
  ["a batch of none", [], [""]],
  ["a batch of 101", Array.from({ length: 101 }, () => ({})), [""]],
  ["no object", '"x"', [""]],
  ["an item that is no object", [null], ["0 "]],
];
for (const [rule, body, fields] of wrongPageRequests) {
  test(`of ${rule} nothing is stored, and the problem names it`, async () => {
    const before = (await server.stored()).length;
    const result = await post("page-requests", body);
    assertProblem(result, 400, "invalid-request");
    const found = (result.body as Problem).errors?.map(({ field, index }) =>
      index === undefined ? field : `${index} ${field}`,
    );
    assert.deepEqual(found, fields);
    assert.equal((await server.stored()).length, before);
  });
}

test("a body that is no JSON is refused, and nothing of it is repeated", async () => {
  const result = await post("log-in", '{"userName":"a","password":"S3CRET');
  assertProblem(result, 400, "invalid-request");
  assert.doesNotMatch(JSON.stringify(result.body), /S3CRET/);
  assert.doesNotMatch(server.log.join(), /S3CRET/);
});

test("page requests of a foreign page are refused, those of a listed one stored", async () => {
  const refused = await post("page-requests", {}, { Origin: "https://evil.example" });
  assertProblem(refused, 403, "forbidden-origin");
  assert.match(refused.body.detail, /wfh forms add \(or set\) --origin/);
  // Otherwise the page would take it for a lost connection, and send again.
  const { headers } = refused.response;
  assert.equal(headers.get("access-control-allow-origin"), "https://evil.example");
  assert.equal(headers.get("access-control-allow-credentials"), "true");
  const allowed = await post("page-requests", {}, { Origin: "https://friend.example" });
  assert.equal(allowed.response.status, 204);
});

for (const type of ["text/xml", "", "application/x-www-form-urlencoded"]) {
  test(`a body of type "${type}" is refused with the type that is expected`, async () => {
    const result = await post("page-requests", "{}", { "Content-Type": type });
    assertProblem(result, 415, "unsupported-media-type");
    assert.match(result.body.detail, /application\/json/);
  });
}

test("a password is not taken as text/plain", async () => {
  const result = await post("log-in", "{}", { "Content-Type": "text/plain" });
  assertProblem(result, 415, "unsupported-media-type");
});

test("a log-in gives exact ids and a cookie; the automatic one and the log-out follow", async () => {
  const site = await openSite();
  try {
    const { recordId, contactId } = await site.addAccount("jane", 9_007_199_254_740_993n);
    const [origin = ""] = forms.lax.origins;
    const call = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
      const response = await fetch(`${site.url}/api/v1/${path}`, {
        method: "POST",
        headers: { "Content-Type": "application/json", Origin: origin, ...headers },
        body: JSON.stringify(body),
      });
      return response;
    };
    const refused = await call("log-in", { userName: "jane", password: "wrong" });
    assert.equal(refused.status, 200);
    const { message, ...nothing } = (await refused.json()) as Record<string, unknown>;
    assert.deepEqual(nothing, { success: false, contactId: null, recordId: null });
    assert.match(String(message), /failed/);
    const loggedIn = await call("log-in", { userName: "jane", password });
    assert.deepEqual(await loggedIn.json(), {
      success: true,
      contactId: String(contactId),
      recordId: String(recordId),
      message: null,
    });
    assert.equal(loggedIn.headers.get("cache-control"), "no-store");
    const [cookie = ""] = (loggedIn.headers.getSetCookie()[0] ?? "").split(";");
    const ids = { formId: "1", applicationInstanceId: "10" };
    const again = await call("auto-log-in", ids, { Cookie: cookie });
    assert.equal(((await again.json()) as { contactId: string }).contactId, String(contactId));
    const [renewed = cookie] = (again.headers.getSetCookie()[0] ?? cookie).split(";");
    assert.equal((await call("log-out", {}, { Cookie: renewed })).status, 204);
    const after = await call("auto-log-in", ids, { Cookie: renewed });
    assert.equal(((await after.json()) as { success: boolean }).success, false);
  } finally {
    await site.close();
  }
});

test("look-ups are logged with what they found at the level debug", async () => {
  const { url, log } = await startTestServer({ WFH_LOG_LEVEL: "debug" });
  for (const path of ["places/US/10001", "places?postalCode=99999", "countries/US/states"]) {
    await fetch(`${url}${restApi.path}/${path}`);
  }
  const lines = log.map((line) => JSON.parse(line)).filter(({ msg }) => msg === "looked up");
  assert.deepEqual(
    lines.map(({ operation, binding, found }) => [operation, binding, found > 50 ? "many" : found]),
    [
      ["findPlaces", "rest", 1],
      ["findPlacesAnywhere", "rest", 0],
      ["listStates", "rest", "many"],
    ],
  );
});
