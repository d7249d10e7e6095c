import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Operation } from "../../contract/operation.ts";
import { PartError } from "../parts.ts";
import { compileMemberReader } from "./parts.ts";
import { JsonError, readJsonObject } from "./reader.ts";

const operation: Operation = {
  summary: "Takes one part of each type.",
  input: {
    l: { type: "long", optional: true },
    i: { type: "int", optional: true },
    b: { type: "boolean", optional: true },
    s: { type: "string", optional: true, nillable: true },
    d: { type: "dateTime", optional: true },
  },
};
const readMembers = compileMemberReader(operation);

/** The parts of a JSON text, without those that are absent. */
function read(json: string): Record<string, unknown> {
  const values = Object.entries(readMembers(readJsonObject(json)));
  return Object.fromEntries(values.filter(([, value]) => value !== null));
}

const accepted: readonly (readonly [string, Record<string, unknown>])[] = [
  ["{}", {}],
  ['{"l":5}', { l: 5n }],
  ['{"l":9007199254740993}', { l: 9_007_199_254_740_993n }],
  ['{"l":-9223372036854775808}', { l: -9_223_372_036_854_775_808n }],
  ['{"l":9223372036854775807}', { l: 9_223_372_036_854_775_807n }],
  ['{"l":"9007199254740993"}', { l: 9_007_199_254_740_993n }],
  ['{"l":9.007199254740993e15}', { l: 9_007_199_254_740_993n }],
  ['{"l":5.0}', { l: 5n }],
  ['{"l":1e2}', { l: 100n }],
  ['{"l":-0}', { l: 0n }],
  ['{"i":" +5 "}', { i: 5 }],
  ['{"i":"007"}', { i: 7 }],
  ['{"i":5.00e1}', { i: 50 }],
  ['{"b":true}', { b: true }],
  ['{"b":0}', { b: false }],
  ['{"b":"1"}', { b: true }],
  ['{"s":""}', { s: "" }],
  ['{"s":null}', {}],
  ['{"s":5}', { s: "5" }],
  ['{"s":-0}', { s: "-0" }],
  ['{"s":1.50}', { s: "1.50" }],
  ['{"s":12345678901234567890}', { s: "12345678901234567890" }],
  ['{"s":true}', { s: "true" }],
  ['{"s":"\\ud83d\\ude00\\u0000"}', { s: "😀\u0000" }],
  ['{"unknown":{"a":[1,{"b":null}]},"i":1}', { i: 1 }],
  ['{"i":1,"i":2}', { i: 2 }],
  ['{"__proto__":{"i":1},"constructor":1,"L":7}', {}],
  ['{"d":"\\/Date(5)\\/"}', { d: { text: "/Date(5)/", instantMs: 5 } }],
];
for (const [json, values] of accepted) {
  test(`a JSON call ${json} is read`, () => assert.deepEqual(read(json), values));
}

const refused: readonly (readonly [string, string])[] = [
  ['{"l":9223372036854775808}', "l"],
  ['{"l":-9223372036854775809}', "l"],
  ['{"l":1e400}', "l"],
  [`{"l":${"9".repeat(60_000)}}`, "l"],
  ['{"l":5.5}', "l"],
  ['{"l":99999999999999.99999999}', "l"],
  ['{"l":1e-1}', "l"],
  ['{"l":null}', "l"],
  ['{"l":true}', "l"],
  ['{"l":[5]}', "l"],
  ['{"i":2147483648}', "i"],
  ['{"i":""}', "i"],
  ['{"i":"abc"}', "i"],
  ['{"i":"0x10"}', "i"],
  ['{"b":"True"}', "b"],
  ['{"b":""}', "b"],
  ['{"b":2}', "b"],
  ['{"b":null}', "b"],
  ['{"s":{}}', "s"],
  ['{"s":[5]}', "s"],
  ['{"d":5}', "d"],
  ['{"d":null}', "d"],
  ['{"d":"/Date("}', "d"],
];
for (const [json, part] of refused) {
  test(`a JSON call ${json.slice(0, 40)} is refused, naming ${part}`, () => {
    assert.throws(
      () => read(json),
      (error) => error instanceof PartError && error.part === part,
    );
  });
}

const nested = (depth: number) => `${'{"a":'.repeat(depth - 1)}{}${"}".repeat(depth - 1)}`;
for (const json of [
  "",
  " ",
  "5",
  "null",
  "[]",
  '"text"',
  '{"a":1',
  "{'a':1}",
  '{"a":01}',
  '{"a":NaN}',
  '{"a":1}x',
  nested(9),
  "[".repeat(60_000),
  `{"a":"${'\\"'.repeat(30_000)}`,
]) {
  test(`a text that is no JSON call is refused: ${JSON.stringify(json.slice(0, 24))}`, () => {
    assert.throws(() => readJsonObject(json), JsonError);
  });
}

test("readJsonObject() reads up to its depth, and brackets in strings are no depth", () => {
  assert.equal(Object.keys(readJsonObject(nested(8))).length, 1);
  assert.deepEqual(Object.keys(readJsonObject(`{"a":"${"[".repeat(100)}"}`)), ["a"]);
});

test("readJsonObject() does not repeat what it was sent in its error", () => {
  assert.throws(
    () => readJsonObject('{"passWord":"hunter2"'),
    (error) => {
      assert.ok(error instanceof JsonError);
      assert.doesNotMatch(error.message, /hunter2|passWord/);
      return true;
    },
  );
});

test("longs are read back to the last digit, as numbers and as strings", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (l) => {
      assert.deepEqual(read(`{"l":${l}}`), l === 0n ? { l: 0n } : { l });
      assert.deepEqual(read(`{"l":"${l}"}`), { l });
    }),
  );
});
