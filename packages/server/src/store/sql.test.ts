import assert from "node:assert/strict";
import { test } from "node:test";
import { statement, toRow } from "./sql.ts";

test("statement() numbers each parameter once, in the order of the text", () => {
  const { sqlite, postgres, parameters } = statement("select :b, :a where x = :b");
  assert.deepEqual(parameters, ["b", "a"]);
  assert.equal(sqlite, "select ?1, ?2 where x = ?1");
  assert.equal(postgres, "select $1, $2 where x = $1");
});

test("statement() takes a cast for no parameter", () => {
  const { postgres, parameters } = statement("select :a::bigint, b::text[]");
  assert.deepEqual(parameters, ["a"]);
  assert.equal(postgres, "select $1::bigint, b::text[]");
});

test("statement() hands a list to SQLite as JSON", () => {
  const { sqlite, postgres } = statement("select 1 where id = any(:ids)");
  assert.equal(sqlite, "select 1 where id in (select value from json_each(?1))");
  assert.equal(postgres, "select 1 where id = any($1)");
});

test("toRow() makes numbers and booleans of columns with such names, whichever engine has read them", () => {
  const expected = { id: 1n, rows: 2, isEnabled: true, endedAtMs: null };
  assert.deepEqual(toRow({ id: 1n, rows: 2n, isEnabled: 1n, endedAtMs: null }), expected);
  assert.deepEqual(toRow({ id: 1n, rows: 2, isEnabled: true, endedAtMs: null }), expected);
  // @ts-expect-error A count is no bigint.
  statement<object, { rows: bigint }>("select count(*) as rows from forms");
  // @ts-expect-error A name that the table of kinds does not have is no number.
  statement<object, { forms: number }>("select count(*) as forms from forms");
});
