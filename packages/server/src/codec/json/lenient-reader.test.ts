import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { jsonLimits } from "../../contract/limits.ts";
import { readJavaScriptObject, readLenientJsonObject } from "./lenient-reader.ts";
import { JsonError, JsonNumber, readJsonObject } from "./reader.ts";

/** A value as JSON, with each number as the text that was written. */
function written(value: unknown): string {
  return JSON.stringify(value, (_name, item) => {
    if (item instanceof JsonNumber) return `number ${item.text}`;
    return typeof item === "number" ? `number ${item}` : item;
  });
}

/** Texts, and what is read of them as {@link written}. */
const accepted: readonly (readonly [string, string])[] = [
  ["{'a':'1'}", '{"a":"1"}'],
  ['{a:"1"}', '{"a":"1"}'],
  ["{a:1}", '{"a":"number 1"}'],
  ["{}", "{}"],
  [" { 'a' : '1' , b : [ 1 , 'x' ] } ", '{"a":"1","b":["number 1","x"]}'],
  ["{a:true,b:false,c:null}", '{"a":true,"b":false,"c":null}'],
  ["{a:02108}", '{"a":"number 02108"}'],
  ["{a:+5,b:.5}", '{"a":"number +5","b":"number .5"}'],
  ["{a:5.,b:1e5}", '{"a":"number 5.","b":"number 1e5"}'],
  ["{a:NaN,b:-Infinity}", '{"a":"number NaN","b":"number -Infinity"}'],
  ["{a:9007199254740993}", '{"a":"number 9007199254740993"}'],
  ["{a:1,a:2}", '{"a":"number 2"}'],
  ["{__proto__:{x:1},'constructor':2}", '{"__proto__":{"x":"number 1"},"constructor":"number 2"}'],
  ["{a_b-c.1+é:1}", '{"a_b-c.1+é":"number 1"}'],
  ["{'':1}", '{"":"number 1"}'],
  ["{a:'it\\'s'}", '{"a":"it\'s"}'],
  [`{a:"\\"\\/\\\\\\b\\f\\n\\r\\t\\u0041\\uD83D\\uDE00"}`, '{"a":"\\"/\\\\\\b\\f\\n\\r\\tA😀"}'],
  ["{a:'say \"x\"'}", '{"a":"say \\"x\\""}'],
  ["{a:'1\n2'}", '{"a":"1\\n2"}'],
  ["\u00a0{a:1}\x85", '{"a":"number 1"}'],
];
for (const [text, members] of accepted) {
  test(`readLenientJsonObject() reads ${JSON.stringify(text)}`, () => {
    assert.equal(written(readLenientJsonObject(text)), members);
  });
}

const deep = `${"{a:".repeat(8)}{}${"}".repeat(8)}`;
const refused: readonly (readonly [string, RegExp])[] = [
  ["", /character 1\./],
  ["[1]", /not a JSON object/],
  ["'a'", /not a JSON object/],
  ["{a:1,}", /character 6\./],
  ["{a:[1,]}", /character 7\./],
  ["{a:}", /character 4\./],
  ["{:1}", /character 2\./],
  ["{a}", /character 3\./],
  ["{a:1 b:2}", /character 6\./],
  ["{a:1", /character 5\./],
  ["{a:1}x", /character 6\./],
  ["{a:1}\0", /character 6\./],
  ["{a:0x10}", /character 4\./],
  ["{a:5-}", /character 4\./],
  ["{a:undefined}", /character 4\./],
  ["{a:nan}", /character 4\./],
  ["{a:True}", /character 4\./],
  ["{$a:1}", /character 2\./],
  ["{a:1/* */}", /character 5\./],
  ["{a:'1}", /character 4\./],
  ["{a:'\\x41'}", /character 6\./],
  ["{a:'\\u004'}", /character 6\./],
  ["{a:'\\", /character 4\./],
  ["\ufeff{a:1}", /character 1\./],
  [deep, /nested more than 8 deep/],
];
for (const [text, message] of refused) {
  test(`readLenientJsonObject() refuses ${JSON.stringify(text.slice(0, 40))}, and says where`, () => {
    assert.throws(() => readLenientJsonObject(text), { name: JsonError.name, message });
  });
}

test("readLenientJsonObject() does not repeat what it was sent in its error", () => {
  assert.throws(
    () => readLenientJsonObject("{passWord:'hunter2'"),
    (error) => error instanceof JsonError && !/hunter2|passWord/.test(error.message),
  );
});

test("readJavaScriptObject() reads any text that readJsonObject() reads, and as that does", () => {
  const words = ["-0", "1.5", "1e5", "9".repeat(20), "null", "true", "\\u0041"];
  const members = ['"a"', '{"a":', '"b"}', '{"a":1}', '{"a":[1,{}]}', '"\\n\'"'];
  const pieces = fc.constantFrom(...`{}[]"':,\\1- \n`, ...words, ...members);
  const texts = fc.oneof(
    fc.array(pieces, { maxLength: 12 }).map((chosen) => chosen.join("")),
    fc
      .dictionary(fc.string({ unit: "binary" }), fc.jsonValue({ maxDepth: 6 }))
      .map((value) => JSON.stringify(value)),
    fc
      .dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 }))
      .map((value) => JSON.stringify(value, null, 1)),
  );
  fc.assert(
    fc.property(texts, (text) => {
      let strict: string;
      try {
        strict = written(readJsonObject(text));
      } catch {
        return;
      }
      assert.equal(written(readJavaScriptObject(text)), strict, text);
    }),
    { numRuns: 2_000 },
  );
});

test("readLenientJsonObject() reads or refuses any text, and throws nothing else", () => {
  const words = ["\\u", "00", "\ud800", "{a:", "'b'", "null", "NaN"];
  const pieces = fc.constantFrom(...`{}[]"':,\\a1.-e é`, ...words);
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 20 }), (chosen) => {
      try {
        readLenientJsonObject(chosen.join(""));
      } catch (reason) {
        assert.ok(reason instanceof JsonError, String(reason));
      }
    }),
    { numRuns: 2_000 },
  );
});

/** Texts of as many values as they are given. */
const counted: readonly (readonly [string, (count: number) => string])[] = [
  ["items", (count) => `{"a":[${"1,".repeat(count - 2)}1]}`],
  ["items with fractions", (count) => `{"a":[${"1.5,".repeat(count - 2)}1.5]}`],
  ["members of one name", (count) => `{${'"a":1,'.repeat(count - 1)}"a":1}`],
  ["empty arrays", (count) => `{"a":[${"[],".repeat((count - 2) / 2)}1${",1".repeat(count % 2)}]}`],
];
for (const [name, write] of counted) {
  test(`both readers of JSON refuse more than ${jsonLimits.values} ${name}, in whatever quotes`, () => {
    for (const count of [jsonLimits.values, jsonLimits.values + 1]) {
      const text = write(count);
      for (const read of [readJsonObject, readLenientJsonObject, readJavaScriptObject]) {
        const texts = read === readJsonObject ? [text] : [text, text.replaceAll('"', "'")];
        for (const written of texts) {
          if (count === jsonLimits.values) assert.equal(Object.keys(read(written)).length, 1);
          else assert.throws(() => read(written), /more than 256 values/);
        }
      }
    }
  });
}
