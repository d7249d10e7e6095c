import assert from "node:assert/strict";
import { test } from "node:test";
import { readMediaType, readSpelledTarget } from "./http.ts";

const mediaTypes: readonly (readonly [string, string, string | undefined, string | undefined])[] = [
  ["text/xml", "text/xml", undefined, undefined],
  ["TEXT/XML;charset=UTF-8", "text/xml", "UTF-8", undefined],
  [
    'application/soap+xml; charset="utf-8"; action="urn:a;b"',
    "application/soap+xml",
    "utf-8",
    "urn:a;b",
  ],
  ["application/soap+xml; action=urn:a", "application/soap+xml", undefined, "urn:a"],
  ['application/soap+xml;charset=utf-8;action="a\\"b"', "application/soap+xml", "utf-8", 'a"b'],
  ["text/xml; charset='utf-8'", "text/xml", "utf-8", undefined],
  ["text/xml; charset=a; charset=b", "text/xml", "a", undefined],
  ["text/xml; nonsense; =; charset=", "text/xml", undefined, undefined],
  ["", "", undefined, undefined],
];
for (const [value, name, charset, action] of mediaTypes) {
  test(`readMediaType() of ${JSON.stringify(value)}`, () => {
    assert.deepEqual(readMediaType(value), { text: value, name, charset, action });
  });
}

test("readSpelledTarget() resolves the escapes of no segment that does not count", (t) => {
  const decode = t.mock.method(TextDecoder.prototype, "decode");
  const path = `${"/%2e/%2E/./".repeat(700)}api/%53.svc/Op`;
  assert.deepEqual(readSpelledTarget(path, "/api/S.svc"), { at: "operation", operation: "Op" });
  assert.equal(decode.mock.callCount(), 1);
});
