import assert from "node:assert/strict";
import { test } from "node:test";
import { readHead } from "./incoming-request.ts";
import { TrustedProxies } from "./trusted-proxies.ts";

const proxies = new TrustedProxies({
  trustedProxies: ["10.0.0.0/8", "127.0.0.1", "2001:db8::/32"],
  baseUrl: undefined,
});

const cases: readonly { name: string; peer: string; forwarded?: string; address: string | null }[] =
  [
    { name: "a peer that is no proxy", peer: "192.0.2.7", address: "192.0.2.7" },
    {
      name: "a peer that is no proxy and claims to be one",
      peer: "192.0.2.7",
      forwarded: "198.51.100.1",
      address: "192.0.2.7",
    },
    {
      name: "what a proxy says",
      peer: "127.0.0.1",
      forwarded: "198.51.100.1",
      address: "198.51.100.1",
    },
    {
      name: "what the nearest proxy says, not what the caller claims",
      peer: "10.1.2.3",
      forwarded: "203.0.113.9, 198.51.100.1",
      address: "198.51.100.1",
    },
    {
      name: "the first hop that is no proxy",
      peer: "10.1.2.3",
      forwarded: "203.0.113.9, 198.51.100.1, 10.9.9.9",
      address: "198.51.100.1",
    },
    { name: "a proxy that says nothing", peer: "10.1.2.3", address: "10.1.2.3" },
    {
      name: "a proxy behind IPv6",
      peer: "2001:db8::1",
      forwarded: "[2001:4860::5]:443",
      address: "2001:4860::5",
    },
    {
      name: "an address with a port",
      peer: "10.0.0.1",
      forwarded: "198.51.100.1:5123",
      address: "198.51.100.1",
    },
    { name: "IPv4 in IPv6", peer: "::ffff:192.0.2.7", address: "192.0.2.7" },
    {
      name: "a proxy as IPv4 in IPv6",
      peer: "::ffff:127.0.0.1",
      forwarded: "198.51.100.1",
      address: "198.51.100.1",
    },
    {
      name: "nothing beyond a hop that is no address",
      peer: "127.0.0.1",
      forwarded: "198.51.100.1, unknown",
      address: "127.0.0.1",
    },
    { name: "no peer", peer: "", address: null },
  ];
for (const { name, peer, forwarded, address } of cases) {
  test(`the client address is ${address} by ${name}`, () => {
    const headers = forwarded === undefined ? [] : ["x-forwarded-for", forwarded];
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

const connections: readonly {
  readonly rule: string;
  readonly peer?: string;
  readonly host?: string;
  readonly baseUrl?: string;
  /** Fields of X-Forwarded-Proto. */
  readonly proto?: readonly string[];
  readonly isSecure: boolean;
}[] = [
  { rule: "plain HTTP from anywhere", isSecure: false },
  { rule: "an https base address", baseUrl: "https://forms.example", isSecure: true },
  { rule: "an http base address", baseUrl: "http://forms.example", isSecure: false },
  { rule: "https by a trusted proxy", peer: "10.0.0.1", proto: ["https"], isSecure: true },
  { rule: "https in capitals", peer: "10.0.0.1", proto: ["HTTPS"], isSecure: true },
  { rule: "https by an untrusted peer", proto: ["https"], isSecure: false },
  { rule: "https by a proxy as IPv6", peer: "::ffff:10.0.0.1", proto: ["https"], isSecure: true },
  {
    rule: "http by a trusted proxy, whatever the base address is",
    peer: "10.0.0.1",
    proto: ["http"],
    baseUrl: "https://forms.example",
    isSecure: false,
  },
  {
    rule: "http by an untrusted peer under an https base address",
    proto: ["http"],
    baseUrl: "https://forms.example",
    isSecure: true,
  },
  {
    rule: "https that only the caller claims",
    peer: "10.0.0.1",
    proto: ["https, http"],
    isSecure: false,
  },
  {
    rule: "a field of the proxy's own",
    peer: "10.0.0.1",
    proto: ["https", "http"],
    isSecure: false,
  },
  {
    rule: "https behind what the caller claims",
    peer: "10.0.0.1",
    proto: ["http", "https"],
    isSecure: true,
  },
  { rule: "another scheme", peer: "10.0.0.1", proto: ["wss"], isSecure: false },
  {
    rule: "no scheme in the field of a trusted proxy",
    peer: "10.0.0.1",
    proto: [""],
    baseUrl: "https://forms.example",
    isSecure: false,
  },
  {
    rule: "a trusted proxy that says nothing",
    peer: "10.0.0.1",
    baseUrl: "https://forms.example",
    isSecure: true,
  },
  {
    rule: "localhost from this machine",
    peer: "127.0.0.1",
    host: "localhost:8080",
    isSecure: true,
  },
  { rule: "a name below localhost", peer: "::1", host: "forms.LOCALHOST", isSecure: true },
  { rule: "a loopback address", peer: "127.0.0.1", host: "127.9.9.9:80", isSecure: true },
  { rule: "the IPv6 loopback address", peer: "::ffff:127.0.0.1", host: "[::1]:80", isSecure: true },
  { rule: "localhost from another machine", peer: "192.0.2.7", host: "localhost", isSecure: false },
  { rule: "a name from this machine", peer: "127.0.0.1", host: "forms.example", isSecure: false },
  {
    rule: "a name that begins so",
    peer: "127.0.0.1",
    host: "localhost.evil.example",
    isSecure: false,
  },
  { rule: "a name that ends so", peer: "127.0.0.1", host: "evillocalhost", isSecure: false },
  { rule: "a name of digits", peer: "127.0.0.1", host: "127.0.0.1.example", isSecure: false },
  {
    rule: "http by a trusted proxy on this machine",
    peer: "127.0.0.2",
    host: "localhost",
    proto: ["http"],
    isSecure: false,
  },
];
for (const {
  rule,
  peer = "192.0.2.7",
  host = "forms.example",
  baseUrl,
  proto = [],
  ...expected
} of connections) {
  test(`a connection is ${expected.isSecure ? "secure" : "not secure"}: ${rule}`, () => {
    const trusted = new TrustedProxies({ trustedProxies: ["10.0.0.0/8", "127.0.0.2"], baseUrl });
    const fields = proto.flatMap((value) => ["X-Forwarded-Proto", value]);
    const head = readHead("POST", "/", ["Host", host, ...fields]);
    assert.equal(trusted.isSecure({ peer, head }), expected.isSecure);
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
