import assert from "node:assert/strict";
import { test } from "node:test";
import { readTraceId } from "./trace-context.ts";

const id = "0af7651916cd43dd8448eb211c80319c";
const parent = "b7ad6b7169203331";
const valid = `00-${id}-${parent}-01`;

const readable: readonly (readonly [string, string])[] = [
  ["sampled", valid],
  ["not sampled", `00-${id}-${parent}-00`],
  ["with flags that have no meaning yet", `00-${id}-${parent}-ff`],
  ["between blanks", ` \t${valid} `],
  ["of a later version", `01-${id}-${parent}-01`],
  ["of a later version with more fields", `cc-${id}-${parent}-01-what-the-future-brings`],
  ["of a later version that ends with a hyphen", `fe-${id}-${parent}-01-`],
];
for (const [what, value] of readable) {
  test(`readTraceId() reads a traceparent ${what}`, () => {
    assert.equal(readTraceId({ headers: ["Traceparent", value] }), id);
  });
}

const ignored: readonly (readonly [string, readonly string[]])[] = [
  ["nothing", []],
  ["an empty one", [""]],
  ["a trace id of zeros", [`00-${"0".repeat(32)}-${parent}-01`]],
  ["a parent id of zeros", [`00-${id}-${"0".repeat(16)}-01`]],
  ["the version ff", [`ff-${id}-${parent}-01`]],
  ["a version of one digit", [`0-${id}-${parent}-01`]],
  ["capitals", [valid.toUpperCase()]],
  ["a digit too few", [`00-${id.slice(1)}-${parent}-01`]],
  ["a digit too many", [`00-${id}0-${parent}-01`]],
  ["no flags", [`00-${id}-${parent}`]],
  ["flags of one digit", [`00-${id}-${parent}-1`]],
  ["flags of three digits, in a later version too", [`01-${id}-${parent}-010`]],
  ["more fields in version 00", [`${valid}-more`]],
  ["a hyphen at the end in version 00", [`${valid}-`]],
  ["blanks within", [`00 -${id}-${parent}-01`]],
  ["two in one header", [`${valid},${valid}`]],
  ["two headers, even the same", [valid, valid]],
  ["an empty one beside a valid one", ["", valid]],
];
for (const [what, values] of ignored) {
  test(`readTraceId() ignores ${what}`, () => {
    const headers = values.flatMap((value) => ["traceparent", value]);
    assert.equal(readTraceId({ headers }), undefined);
  });
}
