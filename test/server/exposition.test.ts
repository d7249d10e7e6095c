import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readExposition } from "./exposition.ts";

const counter = "# HELP a_total A.\n# TYPE a_total counter\n";
const gauge = "# HELP g G.\n# TYPE g gauge\n";
const histogram = "# HELP h H.\n# TYPE h histogram\n";
const buckets = 'h_bucket{le="1"} 1\nh_bucket{le="+Inf"} 2\n';

test("readExposition() reads families with their labels and figures", () => {
  const text = `${counter}a_total{by="x",note="\\"\\\\"} 1e+3\n\n${histogram}${buckets}h_sum 4.5\nh_count 2\n`;
  const families = readExposition(text);
  assert.deepEqual([...families.keys()], ["a_total", "h"]);
  const sample = families.get("a_total")?.samples[0];
  assert.equal(sample?.value, 1000);
  assert.deepEqual(
    [...(sample?.labels ?? [])],
    [
      ["by", "x"],
      ["note", '\\"\\\\'],
    ],
  );
});

describe("readExposition() refuses", () => {
  const wrong: Readonly<Record<string, string>> = {
    "a last line that does not end": `${gauge}g 1`,
    "a figure before its family": "g 1\n",
    "a family without HELP": "# TYPE g gauge\ng 1\n",
    "a family that comes twice": `${gauge}g 1\n${gauge}`,
    "a line of another family": `${gauge}f 1\n`,
    "a line that comes twice": `${gauge}g 1\ng 2\n`,
    "a figure that is none": `${gauge}g one\n`,
    "a time stamp": `${gauge}g 1 1700000000\n`,
    "a label without quotes": `${gauge}g{by=x} 1\n`,
    "a label with an escape that there is not": `${gauge}g{by="\\t"} 1\n`,
    "a label that comes twice": `${gauge}g{by="x",by="y"} 1\n`,
    "a comma behind the last label": `${gauge}g{by="x",} 1\n`,
    "empty braces": `${gauge}g{} 1\n`,
    "a counter that is not called so": "# HELP a A.\n# TYPE a counter\na 1\n",
    "a counter below zero": `${counter}a_total -1\n`,
    "buckets that are not added up": `${histogram}h_bucket{le="1"} 3\nh_bucket{le="+Inf"} 2\nh_sum 4\nh_count 2\n`,
    "buckets out of order": `${histogram}h_bucket{le="+Inf"} 2\nh_bucket{le="1"} 2\nh_sum 4\nh_count 2\n`,
    "a count of other than is in the buckets": `${histogram}${buckets}h_sum 4\nh_count 3\n`,
    "a histogram without a sum": `${histogram}${buckets}h_count 2\n`,
    "a comment that is neither HELP nor TYPE": `# NOTE g\n${gauge}g 1\n`,
  };
  for (const [what, text] of Object.entries(wrong)) {
    test(what, () => assert.throws(() => readExposition(text), assert.AssertionError));
  }
});
