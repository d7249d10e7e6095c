import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Shape } from "../../contract/operation.ts";
import { compileJsonObject } from "./writer.ts";

const shape = {
  name: "Pair",
  parts: { first: { type: "string", nillable: true }, second: { type: "long", nillable: true } },
} as const satisfies Shape;
const write = compileJsonObject(shape, { binding: "json" });

test("a text is written as JSON.stringify() writes it, and half a pair of units as U+FFFD", () => {
  const near = fc.constantFrom('"', "\\", "/", "[", "]", "~", "\x7f", "\x1f", "\n", "\u2028", "é");
  const texts = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(near).map((all) => all.join("")),
  );
  fc.assert(
    fc.property(texts, (first) => {
      const expected = JSON.stringify({ first: first.toWellFormed(), second: 1 });
      assert.equal(write({ first, second: 1n }), expected);
    }),
  );
});

test("each unit of a text is written as JSON.stringify() writes it", () => {
  for (let unit = 0; unit <= 0xff; unit += 1) {
    const first = `a${String.fromCharCode(unit)}b`;
    assert.equal(write({ first, second: null }), JSON.stringify({ first, second: null }));
  }
});

test("what is not there is null, and a long has all of its digits", () => {
  assert.equal(write({ first: null, second: null }), '{"first":null,"second":null}');
  assert.equal(
    write({ first: "", second: 2n ** 63n - 1n }),
    '{"first":"","second":9223372036854775807}',
  );
});
