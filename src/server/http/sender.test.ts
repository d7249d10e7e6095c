import assert from "node:assert/strict";
import { test } from "node:test";
import { readHead } from "./request-head.ts";
import { createSenderFinder } from "./sender.ts";

const senderOf = createSenderFinder(["10.0.0.0/8", "127.0.0.1", "2001:db8::/32"]);

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
  test(`the sender is ${address} by ${name}`, () => {
    const headers = forwarded === undefined ? [] : ["x-forwarded-for", forwarded];
    assert.equal(senderOf(peer, readHead("POST", "/", headers)).address, address);
  });
}

test("the sender is what the trusted proxy adds in a field of its own, not what the caller sent", () => {
  const headers = ["X-Forwarded-For", "203.0.113.9", "x-forwarded-for", "198.51.100.7"];
  assert.equal(senderOf("127.0.0.1", readHead("POST", "/", headers)).address, "198.51.100.7");
});

test("the sender's browser may name itself in UTF-8", () => {
  const bytes = Buffer.from("Café/1", "utf8").toString("latin1");
  assert.equal(senderOf("", readHead("POST", "/", ["User-Agent", bytes])).userAgent, "Café/1");
  assert.equal(senderOf("", readHead("POST", "/", ["User-Agent", "Caf\u00e9"])).userAgent, "Café");
});

test("the sender's browser is what it says", () => {
  const head = readHead("POST", "/", ["User-Agent", "Mozilla/5.0"]);
  assert.equal(senderOf("192.0.2.7", head).userAgent, "Mozilla/5.0");
  assert.equal(senderOf("192.0.2.7", readHead("POST", "/", [])).userAgent, null);
});
