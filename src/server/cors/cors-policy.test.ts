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
const expectedChecks: readonly {
  readonly rule: string;
  readonly origin?: string;
  readonly host?: string;
  readonly site?: string;
  readonly baseUrl?: string;
  readonly isAdmin?: true;
  readonly kind: Kind;
}[] = [
  { rule: "no Origin", kind: "own" },
  { rule: "no Origin, which the browser calls same-origin", site: "same-origin", kind: "own" },
  { rule: "no Origin, which the browser calls cross-site", site: "cross-site", kind: "foreign" },
  { rule: "an origin of a form", origin: form, kind: "form" },
  { rule: "an origin of a form in capitals", origin: "HTTPS://Form.Example", kind: "form" },
  { rule: "an origin that is listed twice", origin: both, kind: "form" },
  { rule: "an origin that may call", origin: friend, kind: "allowed" },
  {
    rule: "an origin that may call, cross-site",
    origin: friend,
    site: "cross-site",
    kind: "allowed",
  },
  { rule: "any other", origin: "https://evil.example", kind: "foreign" },
  { rule: "one that begins as a form's", origin: `${form}.evil.example`, kind: "foreign" },
  { rule: "one that ends as a form's", origin: "https://evilform.example", kind: "foreign" },
  { rule: "a name below a form's", origin: "https://www.form.example", kind: "foreign" },
  { rule: "a form's over http", origin: "http://form.example", kind: "foreign" },
  { rule: "a form's at another port", origin: `${form}:444`, kind: "foreign" },
  { rule: "a form's with a slash", origin: `${form}/`, kind: "foreign" },
  { rule: "null", origin: "null", kind: "foreign" },
  { rule: "an empty one", origin: "", kind: "foreign" },
  {
    rule: "the Host, a name",
    origin: "https://here.example",
    host: "here.example",
    kind: "own by name",
  },
  {
    rule: "the Host, which a form lists",
    origin: "https://named.example",
    host: "named.example",
    kind: "form",
  },
  { rule: "the Host, which may call", origin: friend, host: "friend.example", kind: "allowed" },
  { rule: "the Host, localhost", origin: "http://localhost:1", host: "localhost:1", kind: "own" },
  {
    rule: "localhost at another port",
    origin: "http://localhost:2",
    host: "localhost:1",
    kind: "foreign",
  },
  {
    rule: "the Host below localhost",
    origin: "http://a.localhost",
    host: "a.localhost",
    kind: "own",
  },
  { rule: "the Host, IPv4", origin: "http://192.0.2.1:8080", host: "192.0.2.1:8080", kind: "own" },
  { rule: "the Host, IPv6", origin: "http://[2001:db8::1]", host: "[2001:DB8::1]", kind: "own" },
  {
    rule: "the Host, digits",
    origin: "http://1.2.3.4.example",
    host: "1.2.3.4.example",
    kind: "own by name",
  },
  {
    rule: "the base address",
    origin: "https://base.example",
    baseUrl: "https://base.example/forms",
    kind: "own",
  },
  {
    rule: "the base address over http",
    origin: "http://base.example",
    baseUrl: "https://base.example",
    kind: "foreign",
  },
  {
    rule: "the Host, which is not the base address",
    origin: "http://localhost",
    host: "localhost",
    baseUrl: "https://base.example",
    kind: "foreign",
  },
  {
    rule: "the Host of the admin listener, beside the base address",
    origin: "http://localhost:1",
    host: "localhost:1",
    baseUrl: "https://base.example",
    isAdmin: true,
    kind: "own",
  },
  {
    rule: "the admin listener at another port",
    origin: "http://localhost:2",
    host: "localhost:1",
    baseUrl: "https://base.example",
    isAdmin: true,
    kind: "foreign",
  },
  {
    rule: "the Host of the admin listener, a name",
    origin: "http://here.example",
    host: "here.example",
    baseUrl: "https://base.example",
    isAdmin: true,
    kind: "own by name",
  },
];

function requestOf({
  origin,
  host = "here.example",
  site,
  isAdmin = false,
}: Omit<(typeof expectedChecks)[number], "rule" | "kind" | "isAdmin"> & { isAdmin?: boolean }) {
  const head = readHead("POST", "/", [
    ...["Host", host],
    ...(origin === undefined ? [] : ["Origin", origin]),
    ...(site === undefined ? [] : ["Sec-Fetch-Site", site]),
  ]);
  return { head, isAdmin };
}

function kindOf({ kind, isSure }: OriginCheck): Kind {
  return kind === "own" && !isSure ? "own by name" : kind;
}

for (const { rule, kind, ...sent } of expectedChecks) {
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
