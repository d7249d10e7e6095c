import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { lockAsServer } from "./server-lock.ts";

test("lockAsServer() gives the lock to one server, and keeps one file beside the database", () => {
  const folder = temporaryFolder();
  const file = join(folder, "a.db");
  writeFileSync(file, "");
  const release = lockAsServer(file);
  assert.ok(release);
  assert.deepEqual(readdirSync(folder), ["a.db", "a.db.lock"]);
  assert.equal(lockAsServer(file), undefined);
  release();
  const releaseNext = lockAsServer(file);
  assert.ok(releaseNext);
  releaseNext();
});
