import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { JsonError, JsonNumber, readJsonObject } from "./json-reader.ts";

/** A value with its numbers as doubles, as `JSON.parse` has them. */
function plain(value: unknown): unknown {
  if (value instanceof JsonNumber) return Number(value.text);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
}

test("readJsonObject() reads what JSON.stringify() writes of any object", () => {
  const values = fc.jsonValue({ maxDepth: 6, stringUnit: "binary" });
  const names = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("__proto__", "7"));
  fc.assert(
    fc.property(fc.array(fc.tuple(names, values)), (members) => {
      const text = JSON.stringify(Object.fromEntries(members));
      const expected = Object.entries(JSON.parse(text) as object);
      assert.deepEqual(
        [...readJsonObject(text)].map(([name, value]) => [name, plain(value)]),
        expected,
      );
    }),
  );
});

test("readJsonObject() reads any text that JSON.parse() reads as an object, and refuses any other", () => {
  const pieces = fc.constantFrom(
    ...[
      "{",
      "}",
      "[",
      "]",
      '"',
      ":",
      ",",
      "\\",
      "a",
      '"a"',
      "1",
      "-",
      "1.5",
      "1e5",
      "9".repeat(20),
    ],
    ...["null", "true", " ", "\n", "\u00a0", "\\u0041", "\0", '{"a":', '"b"}'],
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), (chosen) => {
      const text = chosen.join("");
      let expected: unknown;
      try {
        expected = JSON.parse(text);
      } catch {
        assert.throws(() => readJsonObject(text), JsonError);
        return;
      }
      const isObject =
        typeof expected === "object" && expected !== null && !Array.isArray(expected);
      if (isObject) assert.deepEqual(plain(Object.fromEntries(readJsonObject(text))), expected);
      else assert.throws(() => readJsonObject(text), JsonError);
    }),
    { numRuns: 500 },
  );
});
