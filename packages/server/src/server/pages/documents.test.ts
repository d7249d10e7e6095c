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

test("a Host whose port is empty makes an address without one", () => {
  assert.equal(addressOf("forms.example:"), "https://forms.example");
});

test("no address is made without a Host", () => {
  for (const host of [undefined, ""]) assert.equal(addressOf(host), undefined);
});

// Names to DNS at first sight, and no addresses to any URL.
for (const host of ["9223372036854775808", "256.256.256.256", "a.example.0x100000000", "web.1"]) {
  test(`no address is made of the Host ${host}`, () => {
    assert.equal(addressOf(host), undefined);
  });
}

test("a base address wins, whatever the Host is", () => {
  for (const host of ["forms.example", undefined]) {
    assert.equal(addressOf(host, "http://public.example/forms"), "http://public.example/forms");
  }
});
