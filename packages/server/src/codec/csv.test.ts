import assert from "node:assert/strict";
import { test } from "node:test";
import { compileCsv, writeCsvLine } from "./csv.ts";

const cells: readonly (readonly [Parameters<typeof writeCsvLine>[0][number], string])[] = [
  ["plain", '"plain"'],
  ['says "no"', '"says ""no"""'],
  ["two\nlines", '"two\nlines"'],
  ["", '""'],
  [null, ""],
  [-7, "-7"],
  [9007199254740993n, "9007199254740993"],
  ["=1+1", `"'=1+1"`],
  [" @SUM(A1)", `"' @SUM(A1)"`],
  ["-2", `"'-2"`],
  ["a,=1", `"a,'=1"`],
];
for (const [cell, written] of cells) {
  test(`writeCsvLine() writes ${JSON.stringify(String(cell))} as ${JSON.stringify(written)}`, () => {
    assert.equal(writeCsvLine([cell, 1]), `${written},1\r\n`);
  });
}

test("a table begins with the names of its parts, and has a line for each row", () => {
  const write = compileCsv({
    name: "Row",
    parts: { page: { type: "string" }, n: { type: "int" } },
  });
  assert.equal(write([]), '"page","n"\r\n');
  const rows = [
    { n: 2, page: "/a", other: 1 },
    { n: 1, page: null },
  ];
  assert.equal(write(rows), '"page","n"\r\n"/a",2\r\n,1\r\n');
});
