import assert from "node:assert/strict";
import { test } from "node:test";
import { readHead } from "./request-head.ts";
import { createSchemeFinder, createSecureTest } from "./secure-connection.ts";

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
  { rule: "https by anybody", proto: ["https"], isSecure: false },
  { rule: "https by a proxy as IPv6", peer: "::ffff:10.0.0.1", proto: ["https"], isSecure: true },
  {
    rule: "http by a trusted proxy, whatever the base address is",
    peer: "10.0.0.1",
    proto: ["http"],
    baseUrl: "https://forms.example",
    isSecure: false,
  },
  {
    rule: "http by anybody under an https base address",
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
    const isSecure = createSecureTest({ trustedProxies: ["10.0.0.0/8", "127.0.0.2"], baseUrl });
    const fields = proto.flatMap((value) => ["X-Forwarded-Proto", value]);
    const head = readHead("POST", "/", ["Host", host, ...fields]);
    assert.equal(isSecure(peer, head), expected.isSecure);
  });
}

test("a connection that is gone is not of this machine", () => {
  const isSecure = createSecureTest({ trustedProxies: [], baseUrl: undefined });
  assert.equal(isSecure(undefined, readHead("POST", "/", ["Host", "localhost"])), false);
});

const schemes: readonly { rule: string; peer?: string; proto?: string; scheme: string }[] = [
  { rule: "https by a trusted proxy", peer: "10.0.0.1", proto: "HTTPS", scheme: "https" },
  { rule: "https by anybody", peer: "192.0.2.7", proto: "https", scheme: "http" },
  { rule: "only the last hop counts", peer: "10.0.0.1", proto: "https, http", scheme: "http" },
  { rule: "a scheme of another kind", peer: "10.0.0.1", proto: "javascript", scheme: "http" },
  { rule: "no proxy, on this machine", peer: "127.0.0.1", scheme: "http" },
  { rule: "a connection that is gone", proto: "https", scheme: "http" },
];
for (const { rule, peer, proto, scheme } of schemes) {
  test(`the scheme is ${scheme}: ${rule}`, () => {
    const fields = proto === undefined ? [] : ["X-Forwarded-Proto", proto];
    const head = readHead("GET", "/", ["Host", "localhost", ...fields]);
    assert.equal(createSchemeFinder(["10.0.0.0/8"])(peer, head), scheme);
  });
}
