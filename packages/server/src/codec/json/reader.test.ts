import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { JsonError, JsonNumber, readJsonObject } from "./reader.ts";

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
        Object.entries(readJsonObject(text)).map(([name, value]) => [name, plain(value)]),
        expected,
      );
    }),
  );
});

test("readJsonObject() reads any text that JSON.parse() reads as an object, and refuses any other", () => {
  const words = ["1.5", "1e5", "9".repeat(20), "null", "true", "\\u0041", '"a"', '{"a":', '"b"}'];
  const pieces = fc.constantFrom(...`{}[]":,\\a1- \n\u00a0\0`, ...words);
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
      if (isObject) assert.deepEqual(plain(readJsonObject(text)), expected);
      else assert.throws(() => readJsonObject(text), JsonError);
    }),
    { numRuns: 500 },
  );
});

/** Exact text of every number by the engine itself: no shortcut for those that fit a double. */
function exactly(text: string): unknown {
  return JSON.parse(text, (_name, value: unknown, context?: { source?: string }) =>
    typeof value === "number" ? new JsonNumber(context?.source ?? "") : value,
  );
}

/** A value in which numbers that came as doubles are what they would be written as. */
function written(value: unknown): unknown {
  if (typeof value === "number") return new JsonNumber(Object.is(value, -0) ? "-0" : String(value));
  if (Array.isArray(value)) return value.map(written);
  if (value instanceof JsonNumber || typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, written(item)]));
}

test("readJsonObject() keeps every digit of every number, whatever stands in the strings beside it", () => {
  const numbers = fc.oneof(
    fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n }).map(String),
    fc.constantFrom("0", "-0", "1.0", "1e2", "1E2", "1e+2", "999999999999999", "9999999999999999"),
    fc.constantFrom("9007199254740993", "-9007199254740993", "100000000000000000000", "0.1"),
    fc.integer().map(String),
  );
  const strings = fc
    .oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom('"', "\\", '\\"', "1.5", "1234567890123456", "[[[[[[[[[[", "}]", "1e5"),
    )
    .map((text) => JSON.stringify(text));
  const values = fc.oneof(numbers, strings, fc.constantFrom("true", "false", "null", "[]", "{}"));
  // The engine of Node.js 24.21 takes a name `"` for `\\` where it has just read such a one.
  const names = fc.string({ unit: "grapheme-ascii" }).map((name) => name.replace(/["\\]/g, "."));
  const members = fc.uniqueArray(
    fc.tuple(
      names.map((name) => JSON.stringify(name)),
      values,
    ),
    { selector: ([name]) => name },
  );
  fc.assert(
    fc.property(members, (members) => {
      const text = `{${members.map(([name, value]) => `${name}: ${value}`).join()}}`;
      const read = written(readJsonObject(text));
      assert.deepEqual(read, exactly(text), text);
    }),
    { numRuns: 1_000 },
  );
});
