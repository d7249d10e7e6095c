import assert from "node:assert/strict";
import { test } from "node:test";
import { type CellResult, renderTables } from "./interop-table.ts";

const result = (given: Partial<CellResult>): CellResult => ({
  way: "plain HTTP",
  row: "PHP, SOAP 1.1",
  column: "LogInUser",
  state: "ok",
  reason: "",
  ...given,
});

/** Cells of the row of a client. */
function cellsOf(text: string, row: string): readonly string[] {
  const line = text.split("\n").find((one) => one.startsWith(row)) ?? "";
  return line.slice(row.length).trim().split(/\s+/);
}

test("one test of a cell that fails makes it fail, and one that is skipped makes it skipped", () => {
  const text = renderTables([
    result({}),
    result({ state: "FAILED" }),
    result({ column: "TryAutoLogIn" }),
    result({ column: "TryAutoLogIn", state: "skipped", reason: "there is no PHP" }),
    result({ column: "unknown operation" }),
  ]);
  assert.deepEqual(cellsOf(text, "PHP, SOAP 1.1"), [
    "-",
    "-",
    "-",
    "-",
    "skipped",
    "FAILED",
    "ok",
    "-",
  ]);
  assert.match(text, /^skipped: there is no PHP$/m);
});

test("each way to the server has a table of its own, with its clients one below the other", () => {
  const text = renderTables([
    result({}),
    result({ row: "zeep, SOAP 1.2" }),
    result({ way: "HTTPS", state: "FAILED" }),
  ]);
  const [, plain = "", secure = ""] = text.split("SOAP clients over ");
  assert.deepEqual(
    [plain, secure].map((table) => table.split("\n", 1)[0]),
    ["plain HTTP", "HTTPS"],
  );
  assert.equal(cellsOf(plain, "zeep, SOAP 1.2")[5], "ok");
  assert.equal(cellsOf(secure, "PHP, SOAP 1.1")[5], "FAILED");
  assert.doesNotMatch(secure, /zeep/);
});

test("columns stand below their headings", () => {
  const lines = renderTables([result({}), result({ row: "A client with a longer name" })]).split(
    "\n",
  );
  const [, , , upper = "", , ...rows] = lines;
  const start = upper.indexOf("LogIn  ");
  assert.ok(start > 0);
  for (const row of rows.filter((line) => line !== "")) {
    assert.equal(row.slice(start, start + 2), "ok");
  }
});

test("without results there is no table", () => {
  assert.equal(renderTables([]), "");
});
