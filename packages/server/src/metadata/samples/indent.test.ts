import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { indentJson } from "./indent.ts";

test("indentJson() lays JSON out as JSON.stringify() does, whatever its strings hold", () => {
  fc.assert(
    fc.property(fc.json(), (json) => {
      const value = JSON.parse(json);
      assert.equal(indentJson(JSON.stringify(value)), JSON.stringify(value, null, 2));
    }),
  );
});

test("indentJson() leaves every digit of a number as it is", () => {
  const largest = "9223372036854775807";
  assert.equal(indentJson(`{"id":${largest}}`), `{\n  "id": ${largest}\n}`);
});

test("indentJson() takes placeholders for numbers", () => {
  assert.equal(indentJson('{"id":long,"d":{}}'), '{\n  "id": long,\n  "d": {}\n}');
});
