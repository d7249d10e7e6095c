import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "../src/client/client.ts";
import { startStubApi } from "./stub-api.ts";

const stub = await startStubApi();

/** A client of the stub whose first responses are given. */
function clientWith(...first: readonly ((() => Response) | Error)[]) {
  const calls: { url: string; init: RequestInit | undefined }[] = [];
  const left = [...first];
  const client = createClient({
    baseUrl: `${stub.url}/`,
    fetch: async (url, init) => {
      calls.push({ url: String(url), init });
      const next = left.shift();
      if (next instanceof Error) throw next;
      return next === undefined ? fetch(url, init) : next();
    },
  });
  return { client, calls };
}

const problem =
  (status: number, headers: Record<string, string> = {}) =>
  () =>
    Response.json(
      {
        type: "/api/v1/problems/busy",
        title: "Busy",
        status,
        detail: "Try again.",
        requestId: "1",
      },
      { status, headers: { "Content-Type": "application/problem+json", ...headers } },
    );
const lost = new TypeError("fetch failed");

test("findPlaces() finds the places of a code, in one country or in all", async () => {
  const { client, calls } = clientWith();
  for (const country of [undefined, "US"]) {
    const result = await client.findPlaces("10001", country);
    assert.ok(result.ok);
    assert.equal(result.value.places[0]?.city, "New York");
  }
  assert.deepEqual(
    calls.map(({ url }) => url.replace(stub.url, "")),
    ["/api/v1/places?postalCode=10001", "/api/v1/places/US/10001"],
  );
});

test("an unknown code is a value, not an error", async () => {
  const result = await clientWith().client.findPlaces("00000", "US");
  assert.ok(result.ok);
  assert.equal(result.value.status, "unknown");
});

test("a look-up is repeated after a failure", async () => {
  const { client, calls } = clientWith(lost, problem(503));
  assert.ok((await client.findPlaces("10001")).ok);
  assert.equal(calls.length, 3);
});

test("a look-up is not repeated when the server refuses it, or asks for a long pause", async () => {
  for (const refusal of [problem(400), problem(503, { "Retry-After": "60" })]) {
    const { client, calls } = clientWith(refusal);
    const result = await client.findPlaces("10001");
    assert.equal(calls.length, 1);
    assert.ok(!result.ok && result.error.kind === "problem");
    assert.equal(result.error.detail, "Try again.");
  }
});

test("a problem says how long to wait", async () => {
  const { client } = clientWith(problem(503, { "Retry-After": "7" }));
  const result = await client.logIn({ userName: "bob", password: "wrong" });
  assert.ok(!result.ok && result.error.kind === "problem");
  assert.equal(result.error.retryAfterS, 7);
});

test("a page request of a form is repeated under one key", async () => {
  const { client, calls } = clientWith(lost);
  assert.ok((await client.logPageRequest({ formId: 9_007_199_254_740_993n })).ok);
  const [one, other] = calls.map(({ init }) => String(init?.body));
  assert.equal(one, other);
  assert.match(one ?? "", /"eventKey":"[\w-]{8,64}"/);
  assert.match(one ?? "", /"formId":"9007199254740993"/);
});

test("a page request without a form is sent once", async () => {
  const { client, calls } = clientWith(lost);
  const result = await client.logPageRequest({ pageRequestUrl: "https://www.example.org/" });
  assert.deepEqual(result, { ok: false, error: { kind: "network", detail: "fetch failed" } });
  assert.equal(calls.length, 1);
});

test("an id is text or a bigint, since numbers would be rounded", async () => {
  const { client } = clientWith();
  // @ts-expect-error: an id is no number
  assert.ok((await client.logPageRequest({ formId: 12 })).ok);
  assert.ok((await client.logPageRequest({ formId: "12", screenWidth: 1920 })).ok);
});

test("each page request of a batch has its own key", async () => {
  const { client, calls } = clientWith();
  assert.ok((await client.logPageRequests([{ formId: "1" }, { formId: "1" }])).ok);
  const sent: { eventKey: string }[] = JSON.parse(String(calls[0]?.init?.body));
  assert.equal(new Set(sent.map(({ eventKey }) => eventKey)).size, 2);
});

test("a log-in has ids with all digits, is sent with cookies and never repeated", async () => {
  const { client, calls } = clientWith();
  const result = await client.logIn({ userName: "bob", password: "right" });
  assert.ok(result.ok);
  assert.equal(result.value.contactId, "9007199254740993");
  assert.equal(calls[0]?.init?.credentials, "include");
  const failing = clientWith(lost);
  assert.ok(!(await failing.client.autoLogIn({ formId: 1n })).ok);
  assert.equal(failing.calls.length, 1);
});

test("log-out has no value", async () => {
  assert.deepEqual(await clientWith().client.logOut({ everywhere: true }), {
    ok: true,
    value: undefined,
  });
});

test("a late response is a timeout", async () => {
  const fetchLate: typeof fetch = (_url, init) =>
    new Promise((_resolve, reject) => {
      init?.signal?.addEventListener("abort", () => reject(init.signal?.reason));
    });
  const client = createClient({ baseUrl: stub.url, fetch: fetchLate, timeoutMs: 5, retries: 0 });
  assert.deepEqual(await client.listCountries(), {
    ok: false,
    error: { kind: "timeout", timeoutMs: 5 },
  });
});

const strange = [
  {
    name: "a page of a proxy",
    response: () => new Response("<h1>Bad gateway</h1>", { status: 502 }),
  },
  { name: "HTML with status 200", response: () => new Response("<h1>Log in to the network</h1>") },
  { name: "JSON that is no problem", response: () => Response.json({}, { status: 400 }) },
];
for (const { name, response } of strange) {
  test(`${name} is a bad response`, async () => {
    const { client } = clientWith(response);
    const result = await client.logIn({ userName: "bob", password: "right" });
    assert.ok(!result.ok);
    assert.deepEqual(result.error, { kind: "bad-response", status: response().status });
  });
}
