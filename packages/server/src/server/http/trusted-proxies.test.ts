import assert from "node:assert/strict";
import { test } from "node:test";
import { readHead } from "./incoming-request.ts";
import { TrustedProxies } from "./trusted-proxies.ts";

const proxies = new TrustedProxies({
  trustedProxies: ["10.0.0.0/8", "127.0.0.1", "2001:db8::/32"],
  baseUrl: undefined,
});

const cases: readonly (readonly [
  name: string,
  peer: string,
  forwarded: string | null,
  address: string | null,
])[] = [
  ["a peer that is no proxy", "192.0.2.7", null, "192.0.2.7"],
  ["a peer that claims to be a proxy", "192.0.2.7", "198.51.100.1", "192.0.2.7"],
  ["what a proxy says", "127.0.0.1", "198.51.100.1", "198.51.100.1"],
  ["the nearest proxy, not the caller", "10.1.2.3", "203.0.113.9, 198.51.100.1", "198.51.100.1"],
  ["the last hop that is no proxy", "10.1.2.3", "203.0.113.9, 192.0.2.1, 10.9.9.9", "192.0.2.1"],
  ["a proxy that says nothing", "10.1.2.3", null, "10.1.2.3"],
  ["a proxy behind IPv6", "2001:db8::1", "[2001:4860::5]:443", "2001:4860::5"],
  ["an address with a port", "10.0.0.1", "198.51.100.1:5123", "198.51.100.1"],
  ["IPv4 in IPv6", "::ffff:192.0.2.7", null, "192.0.2.7"],
  ["a proxy as IPv4 in IPv6", "::ffff:127.0.0.1", "198.51.100.1", "198.51.100.1"],
  ["nothing beyond a hop that is no address", "127.0.0.1", "198.51.100.1, unknown", "127.0.0.1"],
  ["no peer", "", null, null],
];
for (const [name, peer, forwarded, address] of cases) {
  test(`the client address is ${address} by ${name}`, () => {
    const headers = forwarded === null ? [] : ["x-forwarded-for", forwarded];
    assert.equal(proxies.addressOf({ peer, head: readHead("POST", "/", headers) }), address);
  });
}

test("the client address is what the trusted proxy adds in a field of its own, not what the caller sent", () => {
  const headers = ["X-Forwarded-For", "203.0.113.9", "x-forwarded-for", "198.51.100.7"];
  assert.equal(
    proxies.addressOf({ peer: "127.0.0.1", head: readHead("POST", "/", headers) }),
    "198.51.100.7",
  );
});

for (const trustedProxies of [[], ["10.0.0.0/8"]]) {
  const known = trustedProxies.join() || "no proxy";
  test(`where ${known} is trusted, the first peer that is not and sends X-Forwarded-For is reported once`, () => {
    const reported: string[] = [];
    const log = { warn: ({ peer }: { readonly peer: string }) => reported.push(peer) };
    const watched = new TrustedProxies({ trustedProxies, baseUrl: undefined }, log);
    const forwarded = readHead("POST", "/", ["X-Forwarded-For", "198.51.100.1"]);
    watched.addressOf({ peer: "192.0.2.1", head: readHead("POST", "/", []) });
    if (trustedProxies.length > 0) watched.addressOf({ peer: "10.0.0.1", head: forwarded });
    assert.deepEqual(reported, []);
    watched.addressOf({ peer: "::ffff:192.0.2.7", head: forwarded });
    watched.addressOf({ peer: "192.0.2.8", head: forwarded });
    assert.deepEqual(reported, ["192.0.2.7"]);
  });
}

interface Connected {
  readonly peer?: string;
  readonly host?: string;
  readonly baseUrl?: string;
  /** Fields of X-Forwarded-Proto. */
  readonly proto?: readonly string[];
}

const base = { baseUrl: "https://forms.example" };
const proxy = { peer: "10.0.0.1" };
const here = { peer: "127.0.0.1" };
const connections: readonly (readonly [rule: string, isSecure: boolean, sent: Connected])[] = [
  ["plain HTTP from anywhere", false, {}],
  ["an https base address", true, base],
  ["an http base address", false, { baseUrl: "http://forms.example" }],
  ["https by a trusted proxy", true, { ...proxy, proto: ["https"] }],
  ["https in capitals", true, { ...proxy, proto: ["HTTPS"] }],
  ["https by an untrusted peer", false, { proto: ["https"] }],
  ["https by a proxy as IPv6", true, { peer: "::ffff:10.0.0.1", proto: ["https"] }],
  [
    "http by a trusted proxy, whatever the base address",
    false,
    { ...base, ...proxy, proto: ["http"] },
  ],
  ["http by an untrusted peer under an https base", true, { ...base, proto: ["http"] }],
  ["https that only the caller claims", false, { ...proxy, proto: ["https, http"] }],
  ["a field of the proxy's own", false, { ...proxy, proto: ["https", "http"] }],
  ["https behind what the caller claims", true, { ...proxy, proto: ["http", "https"] }],
  ["another scheme", false, { ...proxy, proto: ["wss"] }],
  ["no scheme in the field of a trusted proxy", false, { ...base, ...proxy, proto: [""] }],
  ["a trusted proxy that says nothing", true, { ...base, ...proxy }],
  ["localhost from this machine", true, { ...here, host: "localhost:8080" }],
  ["a name below localhost", true, { peer: "::1", host: "forms.LOCALHOST" }],
  ["a loopback address", true, { ...here, host: "127.9.9.9:80" }],
  ["the IPv6 loopback address", true, { peer: "::ffff:127.0.0.1", host: "[::1]:80" }],
  ["localhost from another machine", false, { host: "localhost" }],
  ["a name from this machine", false, here],
  ["a name that begins so", false, { ...here, host: "localhost.evil.example" }],
  ["a name that ends so", false, { ...here, host: "evillocalhost" }],
  ["a name of digits", false, { ...here, host: "127.0.0.1.example" }],
  [
    "http by a trusted proxy here",
    false,
    { peer: "127.0.0.2", host: "localhost", proto: ["http"] },
  ],
];
for (const [rule, isSecure, sent] of connections) {
  const { peer = "192.0.2.7", host = "forms.example", baseUrl, proto = [] } = sent;
  test(`a connection is ${isSecure ? "secure" : "not secure"}: ${rule}`, () => {
    const trusted = new TrustedProxies({ trustedProxies: ["10.0.0.0/8", "127.0.0.2"], baseUrl });
    const fields = proto.flatMap((value) => ["X-Forwarded-Proto", value]);
    const head = readHead("POST", "/", ["Host", host, ...fields]);
    assert.equal(trusted.isSecure({ peer, head }), isSecure);
  });
}

test("a connection that is gone is not of this machine", () => {
  const trusted = new TrustedProxies({ trustedProxies: [], baseUrl: undefined });
  const head = readHead("POST", "/", ["Host", "localhost"]);
  assert.equal(trusted.isSecure({ peer: undefined, head }), false);
});

const schemes: readonly { rule: string; peer?: string; proto?: string; scheme: string }[] = [
  { rule: "https by a trusted proxy", peer: "10.0.0.1", proto: "HTTPS", scheme: "https" },
  { rule: "https by an untrusted peer", peer: "192.0.2.7", proto: "https", scheme: "http" },
  { rule: "only the last hop counts", peer: "10.0.0.1", proto: "https, http", scheme: "http" },
  { rule: "a scheme of another kind", peer: "10.0.0.1", proto: "javascript", scheme: "http" },
  { rule: "no proxy, on this machine", peer: "127.0.0.1", scheme: "http" },
  { rule: "a connection that is gone", proto: "https", scheme: "http" },
];
for (const { rule, peer, proto, scheme } of schemes) {
  test(`the scheme is ${scheme}: ${rule}`, () => {
    const fields = proto === undefined ? [] : ["X-Forwarded-Proto", proto];
    const head = readHead("GET", "/", ["Host", "localhost", ...fields]);
    const trusted = new TrustedProxies({ trustedProxies: ["10.0.0.0/8"], baseUrl: undefined });
    assert.equal(trusted.schemeOf({ peer, head }), scheme);
  });
}
