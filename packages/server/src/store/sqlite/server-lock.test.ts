import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { lockAsServer } from "./server-lock.ts";

test("lockAsServer() gives the lock to one server, and keeps one file beside the database", () => {
  const folder = mkdtempSync(join(tmpdir(), "wfh-lock-"));
  const file = join(folder, "a.db");
  writeFileSync(file, "");
  const first = lockAsServer(file);
  assert.equal(first.isOurs, true);
  assert.deepEqual(readdirSync(folder), ["a.db", "a.db.lock"]);
  assert.equal(lockAsServer(file).isOurs, false);
  first.release();
  const next = lockAsServer(file);
  assert.equal(next.isOurs, true);
  next.release();
  rmSync(folder, { recursive: true });
});
