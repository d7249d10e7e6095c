import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formLimits } from "../../contract/limits.ts";
import { FieldLengthError, readFormFields, unescapePercent } from "./fields.ts";

const cases: readonly { name: string; text: string; fields: [string, string][] }[] = [
  { name: "one field", text: "a=1", fields: [["a", "1"]] },
  { name: "names in any case", text: "postalCODE=1", fields: [["postalcode", "1"]] },
  { name: "escaped names", text: "%61=1", fields: [["a", "1"]] },
  {
    name: "repeated fields joined, also in other case",
    text: "a=1&A=2&a=3",
    fields: [["a", "1,2,3"]],
  },
  { name: "an empty value", text: "a=", fields: [["a", ""]] },
  { name: "a name without = as no field", text: "a&b=1", fields: [["b", "1"]] },
  { name: "plus and %20 as blanks, %2B as plus", text: "a=1+2%203%2B", fields: [["a", "1 2 3+"]] },
  {
    name: "malformed escapes as they are",
    text: "a=%zz%4&b=%",
    fields: [
      ["a", "%zz%4"],
      ["b", "%"],
    ],
  },
  {
    name: "%u escapes as units of UTF-16",
    text: "a=x%u00E9%ud83d%uDE00%41+",
    fields: [["a", "xé😀A "]],
  },
  { name: "a %u escape in a name", text: "%u0061=1", fields: [["a", "1"]] },
  { name: "half a surrogate pair as U+FFFD", text: "a=%ud83dx", fields: [["a", "\ufffdx"]] },
  {
    name: "malformed %u escapes as they are",
    text: "a=%u00e%U0041%u",
    fields: [["a", "%u00e%U0041%u"]],
  },
  { name: "a byte that is no UTF-8 as U+FFFD", text: "a=%E9", fields: [["a", "\ufffd"]] },
  { name: "raw UTF-8 bytes", text: "a=caf\u00c3\u00a9", fields: [["a", "café"]] },
  { name: "a second = as part of the value", text: "a=1=2", fields: [["a", "1=2"]] },
  { name: "a semicolon as part of the value", text: "a=1;b=2", fields: [["a", "1;b=2"]] },
  {
    name: "names that objects have",
    text: "__proto__=1&constructor=2",
    fields: [
      ["__proto__", "1"],
      ["constructor", "2"],
    ],
  },
  { name: "nothing", text: "", fields: [] },
];
for (const { name, text, fields } of cases) {
  test(`readFormFields() reads ${name}`, () => {
    const wanted = ["not sent", ...fields.map(([field]) => field)];
    assert.deepEqual([...readFormFields(text, { wanted })], fields);
  });
}

const wanted = ["a", "v"];

test("readFormFields() reads in the charset that is stated", () => {
  assert.equal(readFormFields("a=caf%E9", { wanted, charset: "iso-8859-1" }).get("a"), "café");
  assert.equal(readFormFields("a=%80%u20ac", { wanted, charset: "windows-1252" }).get("a"), "€€");
  assert.throws(() => readFormFields("a=1", { wanted, charset: "klingon" }), /klingon/);
});

test("readFormFields() reads back what URLSearchParams writes", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (value) => {
      const text = new URLSearchParams({ v: value }).toString();
      assert.equal(readFormFields(text, { wanted }).get("v"), value.toWellFormed());
    }),
  );
});

test("unescapePercent() keeps a plus", () => {
  assert.equal(unescapePercent("a+b%20c%zz"), "a+b c%zz");
});

test("readFormFields() reads so many fields, and ignores the rest", () => {
  const names = Array.from({ length: formLimits.fields + 1 }, (_, i) => `f${i}`);
  const fields = names.map((name) => `${name}=1`).join("&");
  assert.equal(readFormFields(fields, { wanted: names }).size, formLimits.fields);
});

test("readFormFields() reads no value of a field that is not wanted, however long", () => {
  const state = "%41".repeat(formLimits.valueBytes);
  const fields = readFormFields(`__VIEWSTATE=${state}&A=10001`, { wanted });
  assert.deepEqual([...fields], [["a", "10001"]]);
});

test("readFormFields() refuses wanted values that are together longer than may be", () => {
  const half = "1".repeat(formLimits.valueBytes / 2);
  const read = (text: string) => readFormFields(text, { wanted }).get("a");
  assert.equal(read(`a=${half}&a=${half}`)?.length, formLimits.valueBytes + 1);
  assert.throws(() => read(`a=${half}&a=${half}1`), FieldLengthError);
});
