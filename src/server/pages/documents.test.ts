import assert from "node:assert/strict";
import { test } from "node:test";
import { readHead } from "../http/incoming-request.ts";
import { serverAddress } from "./documents.ts";

function addressOf(host: string | undefined, baseUrl?: string): string | undefined {
  const head = readHead("GET", "/", host === undefined ? [] : ["Host", host]);
  return serverAddress({ head, peer: undefined }, { baseUrl }, { schemeOf: () => "https" });
}

const hosts = [
  "localhost",
  "forms.example",
  "forms.example.:8443",
  "a_b-c.example:80",
  "192.0.2.7",
  "[::1]",
  "[2001:db8::7]:8080",
];
for (const host of hosts) {
  test(`an address is made of the Host ${host}`, () => {
    assert.equal(addressOf(host), `https://${host}`);
  });
}

test("a Host in capitals makes the same address", () => {
  assert.equal(addressOf("Forms.EXAMPLE:81"), "https://forms.example:81");
});

const refused: readonly (string | undefined)[] = [
  undefined,
  "",
  ":80",
  "a b",
  "a/b",
  "a@b.example",
  "a?b",
  "a.example#",
  'a"b',
  "<script>",
  "a&b",
  "a..example",
  ".example",
  "a.example:",
  "a.example:0",
  "a.example:65536",
  "a.example:123456",
  "a.example:8o",
  "a.example:80:80",
  "[::1",
  "[::g]",
  "[::1]x",
  "[fe80::1%eth0]",
  "[192.0.2.7]",
  "::1",
  // Names to DNS at first sight, and no addresses to any URL: numbers beyond IPv4.
  "9223372036854775808",
  "256.256.256.256",
  "a.example.0x100000000",
  "ex\u00e4mple",
  `${"a".repeat(260)}`,
];
for (const host of refused) {
  test(`no address is made of the Host ${JSON.stringify(host)?.slice(0, 40)}`, () => {
    assert.equal(addressOf(host), undefined);
  });
}

test("a base address wins, whatever the Host is", () => {
  for (const host of ["a/b", "forms.example", undefined]) {
    assert.equal(addressOf(host, "http://public.example/forms"), "http://public.example/forms");
  }
});
