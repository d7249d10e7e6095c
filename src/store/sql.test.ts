import assert from "node:assert/strict";
import { test } from "node:test";
import { statement } from "./sql.ts";

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
