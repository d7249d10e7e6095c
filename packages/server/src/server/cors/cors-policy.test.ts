import assert from "node:assert/strict";
import { test } from "node:test";
import { exposedHeaders } from "../../bindings/http.ts";
import { readHead } from "../http/incoming-request.ts";
import { allowsCredentials, createCorsPolicy, type OriginCheck } from "./cors-policy.ts";

const form = "https://form.example";
const friend = "https://friend.example";
const both = "https://both.example";

const config = { allowedOrigins: [friend, both], baseUrl: undefined } as const;
const formOrigins = () => Promise.resolve(new Set([form, both, "https://named.example"]));
const asksForms = () => true;
const unavailable = () => Promise.reject<ReadonlySet<string>>(new Error("the database is down"));

type Kind = "own" | "own by name" | "form" | "allowed" | "foreign";
interface SentOrigin {
  readonly origin?: string;
  readonly host?: string;
  readonly site?: string;
  readonly baseUrl?: string;
  readonly isAdmin?: boolean;
}

const base = { baseUrl: "https://base.example" };
const atAdmin = { ...base, isAdmin: true };
const local = { host: "localhost:1" };
const expectedChecks: readonly (readonly [rule: string, kind: Kind, sent: SentOrigin])[] = [
  ["no Origin", "own", {}],
  ["no Origin, which the browser calls same-origin", "own", { site: "same-origin" }],
  ["no Origin, which the browser calls cross-site", "foreign", { site: "cross-site" }],
  ["an origin of a form", "form", { origin: form }],
  ["an origin of a form in capitals", "form", { origin: "HTTPS://Form.Example" }],
  ["an origin that is listed twice", "form", { origin: both }],
  ["an origin that may call", "allowed", { origin: friend }],
  ["an origin that may call, cross-site", "allowed", { origin: friend, site: "cross-site" }],
  ["any other", "foreign", { origin: "https://evil.example" }],
  ["one that begins as a form's", "foreign", { origin: `${form}.evil.example` }],
  ["one that ends as a form's", "foreign", { origin: "https://evilform.example" }],
  ["a name below a form's", "foreign", { origin: "https://www.form.example" }],
  ["a form's over http", "foreign", { origin: "http://form.example" }],
  ["a form's at another port", "foreign", { origin: `${form}:444` }],
  ["a form's with a slash", "foreign", { origin: `${form}/` }],
  ["null", "foreign", { origin: "null" }],
  ["an empty one", "foreign", { origin: "" }],
  ["the Host, a name", "own by name", { origin: "https://here.example" }],
  [
    "the Host, which a form lists",
    "form",
    { origin: "https://named.example", host: "named.example" },
  ],
  ["the Host, which may call", "allowed", { origin: friend, host: "friend.example" }],
  ["the Host, localhost", "own", { ...local, origin: "http://localhost:1" }],
  ["localhost at another port", "foreign", { ...local, origin: "http://localhost:2" }],
  ["the Host below localhost", "own", { origin: "http://a.localhost", host: "a.localhost" }],
  ["the Host, IPv4", "own", { origin: "http://192.0.2.1:8080", host: "192.0.2.1:8080" }],
  ["the Host, IPv6", "own", { origin: "http://[2001:db8::1]", host: "[2001:DB8::1]" }],
  ["the Host, digits", "own by name", { origin: "https://1.2.3.example", host: "1.2.3.example" }],
  ["the base address", "own", { origin: base.baseUrl, baseUrl: `${base.baseUrl}/forms` }],
  ["the base address over http", "foreign", { ...base, origin: "http://base.example" }],
  [
    "the Host, which is not the base",
    "foreign",
    { ...base, ...local, origin: "http://localhost:1" },
  ],
  ["the Host of the admin listener", "own", { ...atAdmin, ...local, origin: "http://localhost:1" }],
  ["that at another port", "foreign", { ...atAdmin, ...local, origin: "http://localhost:2" }],
  ["that, a name", "own by name", { ...atAdmin, origin: "http://here.example" }],
];

function requestOf({ origin, host = "here.example", site, isAdmin = false }: SentOrigin) {
  const head = readHead("POST", "/", [
    "Host",
    host,
    ...(origin === undefined ? [] : ["Origin", origin]),
    ...(site === undefined ? [] : ["Sec-Fetch-Site", site]),
  ]);
  return { head, isAdmin };
}

function kindOf({ kind, isSure }: OriginCheck): Kind {
  return kind === "own" && !isSure ? "own by name" : kind;
}

for (const [rule, kind, sent] of expectedChecks) {
  test(`an origin is ${kind}: ${rule}`, async () => {
    const policy = createCorsPolicy({
      config: { ...config, baseUrl: sent.baseUrl },
      formOrigins,
      usesForms: asksForms,
    });
    const check = await policy(requestOf(sent));
    assert.equal(kindOf(check), kind);
    const readable = ["Access-Control-Allow-Origin", sent.origin, ...exposedHeaders];
    const headers = {
      own: [],
      "own by name": [],
      foreign: [],
      allowed: readable,
      form: [...readable, "Access-Control-Allow-Credentials", "true"],
    };
    assert.deepEqual(check.headers, headers[kind]);
    assert.equal(allowsCredentials(check), kind === "own" || kind === "form");
  });
}

test("while forms cannot be known, no origin is listed for one", async () => {
  const policy = createCorsPolicy({ config, formOrigins: unavailable, usesForms: asksForms });
  const kinds = [form, both, "https://here.example"].map(async (origin) =>
    kindOf(await policy(requestOf({ origin }))),
  );
  assert.deepEqual(await Promise.all(kinds), ["foreign", "allowed", "own by name"]);
});

test("a request that needs no forms is judged at once", () => {
  const policy = createCorsPolicy({
    config,
    formOrigins: () => assert.fail("forms are asked for"),
    usesForms: asksForms,
  });
  for (const sent of [
    {},
    { site: "cross-site" },
    { origin: "http://localhost", host: "localhost" },
  ]) {
    assert.ok(!(policy(requestOf(sent)) instanceof Promise));
  }
});

for (const second of [form, "https://evil.example"]) {
  test(`two Origins match none, the second being ${second}`, async () => {
    const head = readHead("POST", "/", ["Host", "here.example", "Origin", form, "origin", second]);
    const check = await createCorsPolicy({ config, formOrigins, usesForms: asksForms })({
      head,
      isAdmin: false,
    });
    assert.equal(check.kind, "foreign");
    assert.deepEqual(check.headers, []);
  });
}

test("where forms do not matter, a request of any origin is judged without them", () => {
  const policy = createCorsPolicy({
    config,
    formOrigins: () => assert.fail("forms are asked for"),
    usesForms: ({ path }) => path !== "/look-up",
  });
  const look = (origin: string) =>
    policy({
      head: readHead("POST", "/look-up", ["Host", "here.example", "Origin", origin]),
      isAdmin: false,
    });
  const expectedChecks = [form, friend].map(look);
  assert.deepEqual(
    expectedChecks.map((check) => "kind" in check && check.kind),
    ["foreign", "allowed"],
  );
});
