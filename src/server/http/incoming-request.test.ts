import assert from "node:assert/strict";
import { test } from "node:test";
import { createRequestIds } from "./incoming-request.ts";

/** More than are made of one batch of random bytes. */
const count = 2_000;

test("request ids differ, and tell nothing of how many there were", () => {
  const nextId = createRequestIds("p-");
  const ids = Array.from({ length: count }, nextId);
  assert.equal(new Set(ids).size, count);
  for (const id of ids) assert.match(id, /^p-[0-9a-f]{12}$/);
  const rising = ids.filter((id, i) => i > 0 && id > (ids[i - 1] ?? ""));
  assert.ok(rising.length > count / 3 && rising.length < (2 * count) / 3, "they are in no order");
});
