import assert from "node:assert/strict";
import { test } from "node:test";
import { describeInvalidHead } from "./incoming-request.ts";

const hosts = [
  "",
  "localhost",
  "Forms.EXAMPLE:81",
  "forms.example.:8443",
  "forms.example:",
  "a_b-c.example:80",
  "192.0.2.7",
  "web.1",
  "[::1]",
  "[2001:db8::7]:8080",
];
for (const host of hosts) {
  test(`the Host ${JSON.stringify(host)} is valid`, () => {
    assert.equal(describeInvalidHead(["Host", host], "1.1"), undefined);
  });
}

const invalidHosts = [
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
  "ex\u00e4mple",
  `${"a".repeat(260)}`,
];
for (const host of invalidHosts) {
  test(`the Host ${JSON.stringify(host).slice(0, 40)} is not valid`, () => {
    assert.equal(describeInvalidHead(["Host", host], "1.1"), "The Host header is not a host.");
  });
}
