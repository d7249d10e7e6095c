import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseBoolean, parseInt32, parseLong } from "./scalars.ts";

const ints: readonly (readonly [string, number])[] = [
  ["5", 5],
  ["+5", 5],
  ["-5", -5],
  ["007", 7],
  [" \t\r\n5\n", 5],
  ["-0", 0],
  ["\v5\f\0\0", 5],
  ["2147483647", 2_147_483_647],
  ["-2147483648", -2_147_483_648],
];
for (const [text, value] of ints) {
  test(`parseInt32() reads ${JSON.stringify(text)}`, () =>
    assert.ok(Object.is(parseInt32(text), value)));
}

const notInts = [
  "",
  " ",
  "abc",
  "5.0",
  "1,000",
  "0x10",
  "1e2",
  "(5)",
  "5-",
  "- 5",
  "true",
  "5\u00a0",
  "٥",
  "５",
  "5 5",
  "++5",
  "\0" + "5",
  "5\0 ",
];
for (const text of notInts) {
  test(`parseInt32() refuses ${JSON.stringify(text)}`, () => {
    assert.throws(() => parseInt32(text), {
      name: "SyntaxError",
      message: "Input string was not in a correct format.",
    });
  });
}

for (const text of ["2147483648", "-2147483649", "99999999999", "9".repeat(300_000)]) {
  test(`parseInt32() refuses ${text.slice(0, 20)} as out of range`, () => {
    assert.throws(() => parseInt32(text), {
      name: "RangeError",
      message: "Value was either too large or too small for an Int32.",
    });
  });
}

test("parseInt32() reads what any int is written as", () => {
  fc.assert(fc.property(fc.integer(), (value) => assert.equal(parseInt32(String(value)), value)));
});

test("parseBoolean() reads the four forms of XML Schema and no other", () => {
  assert.deepEqual(["true", "1", " false ", "0"].map(parseBoolean), [true, true, false, false]);
  for (const text of ["True", "yes", "", "01", "true false"]) {
    assert.throws(() => parseBoolean(text), SyntaxError);
  }
});

test("parseLong() reads every long to the last digit", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value) => {
      assert.equal(parseLong(` ${value}\n`), value);
    }),
  );
  assert.equal(parseLong("+0000000000000000000000007"), 7n);
});

for (const text of ["9223372036854775808", "-9223372036854775809", "9".repeat(60_000)]) {
  test(`parseLong() refuses ${text.slice(0, 20)} as out of range`, () => {
    assert.throws(() => parseLong(text), RangeError);
  });
}

test("parseLong() refuses what is no integer", () => {
  for (const text of ["", "5.0", "1e2", "12x", "0x1"])
    assert.throws(() => parseLong(text), SyntaxError);
});
