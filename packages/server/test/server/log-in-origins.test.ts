import assert from "node:assert/strict";
import { test } from "node:test";
import { carriers, cookieFate, endpoint, overJson, send, withFields } from "./log-in-calls.ts";
import { form, forms, openTestSite, password } from "./log-in-server.ts";

const friend = "https://friend.example";
const site = await openTestSite({ WFH_ALLOWED_ORIGINS: friend });
const { url } = site;
await site.addAccount("bob");
const bob = { userName: "bob", passWord: password };
const ids = { form_id: 1, applicationInstance_id: 10 };
const logOut = "/api/v1/log-out";
const json = ["Content-Type", "application/json"] as const;

/** Number of events of log-ins so far: it stays where nothing was looked at. */
function countEvents(): unknown {
  return site.sql("SELECT count(*) AS count FROM log_in_events")[0]?.["count"];
}

const foreign = [
  "https://evil.example",
  "null",
  "",
  "https://lax.example.evil.example",
  "https://evil-lax.example",
  "https://lax.example:8443",
  "http://lax.example",
  "https://lax.example/",
  "https://lax.example.",
  "https://lax.example@evil.example",
  "https://lax.example, https://evil.example",
  "http://localhost:1",
  "http://127.0.0.1",
  "file://",
];

for (const carrier of carriers) {
  test(`${carrier.name}: a page of another origin cannot log in, and nothing happens`, async () => {
    const before = countEvents();
    for (const origin of foreign) {
      for (const call of [carrier.call("LogInUser", bob), carrier.call("TryAutoLogIn", ids)]) {
        const response = await send(url, withFields(call, ["Origin", origin]));
        assert.equal(response.status, 403, origin);
        assert.match(response.body, carrier.forbidden);
        assert.deepEqual(response.valuesOf("access-control-allow-origin"), []);
        assert.deepEqual(response.valuesOf("access-control-allow-credentials"), []);
        assert.deepEqual(response.valuesOf("set-cookie"), []);
      }
    }
    assert.equal(countEvents(), before);
  });

  test(`${carrier.name}: a page that may call without credentials is no log-in`, async () => {
    const before = countEvents();
    for (const call of [carrier.call("LogInUser", bob), carrier.call("TryAutoLogIn", ids)]) {
      const response = await send(url, withFields(call, ["Origin", friend]));
      assert.equal(response.status, 403);
      assert.match(response.body, carrier.forbidden);
      assert.deepEqual(response.valuesOf("access-control-allow-origin"), [friend]);
      assert.deepEqual(response.valuesOf("access-control-allow-credentials"), []);
      assert.deepEqual(response.valuesOf("set-cookie"), []);
    }
    assert.equal(countEvents(), before);
  });

  test(`${carrier.name}: a page at a Host that is only a name is no log-in`, async () => {
    const call = withFields(carrier.call("LogInUser", bob), ["Origin", "http://rebound.example"]);
    const response = await send(url, { ...call, host: "rebound.example" });
    assert.equal(response.status, 403);
    assert.match(response.body, carrier.forbidden);
  });

  test(`${carrier.name}: a page of a form or of our own loopback address logs in, in any case`, async () => {
    for (const origin of ["https://lax.example", "HTTPS://Lax.Example", "http://localhost"]) {
      const response = await send(
        url,
        withFields(carrier.call("LogInUser", bob), ["Origin", origin]),
      );
      assert.equal(carrier.read(response).isSuccess, true, origin);
      const isForm = origin !== "http://localhost";
      assert.deepEqual(response.valuesOf("access-control-allow-origin"), isForm ? [origin] : []);
      assert.deepEqual(
        response.valuesOf("access-control-allow-credentials"),
        isForm ? ["true"] : [],
      );
    }
  });

  test(`${carrier.name}: what a browser calls cross-site is no log-in without an Origin`, async () => {
    const call = withFields(carrier.call("LogInUser", bob), ["Sec-Fetch-Site", "cross-site"]);
    assert.equal((await send(url, call)).status, 403);
  });
}

test("a form that is added or removed is known of within a second or so", async () => {
  const brief = form(77n, "https://brief.example", forms.lax.instance);
  const from = ["Origin", brief.origins[0] ?? ""] as const;
  const asking = {
    method: "OPTIONS",
    path: logOut,
    fields: [from, ["Access-Control-Request-Method", "POST"]],
  } as const;
  const until = async (wanted: number) => {
    const deadlineMs = performance.now() + 5_000;
    while ((await send(url, asking)).status !== wanted) assert.ok(performance.now() < deadlineMs);
    const responses = carriers.map((carrier) =>
      send(url, withFields(carrier.call("LogInUser", bob), from)),
    );
    return (await Promise.all(responses)).map(({ status }) => status);
  };
  await site.office.putForms([brief], Date.now());
  assert.deepEqual(await until(204), [200, 200, 200]);
  assert.equal(await site.office.removeForm(brief.id, Date.now()), true);
  assert.deepEqual(await until(403), [403, 403, 403]);
});

test("an operation in another spelling is no way around the origins", async () => {
  for (const path of ["/loginuser", "/LOGINUSER", "/LogInUser/", "//LogInUser", "/LogIn%55ser"]) {
    const call = withFields(overJson.call("LogInUser", bob), ["Origin", friend]);
    const response = await send(url, { ...call, path: endpoint + path });
    assert.ok([403, 404, 500].includes(response.status), `${path}: ${response.status}`);
    assert.doesNotMatch(response.body, /"Success":true/);
    assert.deepEqual(response.valuesOf("set-cookie"), []);
  }
});

const asked = [
  { path: `${endpoint}/LogInUser`, methods: ["POST"] },
  { path: `${endpoint}/TryAutoLogIn`, methods: ["POST"] },
  { path: `${endpoint}/LogPageRequestAsync`, methods: ["POST"] },
  { path: logOut, methods: ["POST"] },
  { path: endpoint, methods: ["GET", "POST"] },
];
for (const { path, methods } of asked) {
  const ask = (origin: string) =>
    send(url, {
      method: "OPTIONS",
      path,
      fields: [
        ["Origin", origin],
        ["Access-Control-Request-Method", "POST"],
        ["Access-Control-Request-Headers", "content-type, soapaction"],
      ],
    });

  test(`a preflight for ${path} allows what a page of a form may do`, async () => {
    const response = await ask("https://lax.example");
    assert.equal(response.status, 204);
    assert.deepEqual(response.valuesOf("access-control-allow-origin"), ["https://lax.example"]);
    assert.deepEqual(response.valuesOf("access-control-allow-credentials"), ["true"]);
    assert.deepEqual(response.valuesOf("access-control-allow-methods"), [methods.join(", ")]);
    assert.deepEqual(response.valuesOf("access-control-allow-headers"), [
      "content-type, soapaction, traceparent, tracestate",
    ]);
    assert.deepEqual(response.valuesOf("vary"), ["Origin"]);
  });

  test(`a preflight for ${path} never allows another page to use cookies`, async () => {
    for (const origin of [friend, ...foreign]) {
      const response = await ask(origin);
      const isListed = origin === friend && path !== logOut;
      assert.equal(response.status === 204, isListed, `${origin}: ${response.status}`);
      assert.deepEqual(response.valuesOf("access-control-allow-credentials"), []);
    }
  });
}

const types = [
  ["text/plain", "a type that needs no question"],
  ["text/plain;charset=UTF-8", "what a beacon sends"],
  ["application/x-www-form-urlencoded", "a form"],
  ["multipart/form-data; boundary=x", "a form with files"],
  ["text/plain; application/json", "JSON as a parameter"],
  ["application/jsonp", "a longer name"],
  ["text/json", "an old name"],
  ["application/json, text/plain", "two"],
  ["", "an empty one"],
  [undefined, "none"],
] as const;
for (const [operation, parts] of [
  ["LogInUser", bob],
  ["TryAutoLogIn", ids],
] as const) {
  for (const [type, kind] of types) {
    test(`JSON: ${operation} takes no ${type ?? "body without a type"}: ${kind}`, async () => {
      const call = overJson.call(operation, parts);
      const fields = type === undefined ? [] : [["Content-Type", type] as const];
      const response = await send(url, { ...call, fields });
      assert.equal(response.status, 415);
      assert.equal(cookieFate(response), "kept");
    });
  }

  for (const method of ["GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS"]) {
    test(`JSON: ${operation} is no ${method}`, async () => {
      const path = `${endpoint}/${operation}?userName=bob&passWord=x&form_id=1`;
      const response = await send(url, { method, path, fields: [json] });
      assert.equal(response.status, 405);
      assert.deepEqual(response.valuesOf("allow"), ["POST"]);
    });
  }
}
