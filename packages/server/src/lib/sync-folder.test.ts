import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { syncFolder } from "./sync-folder.ts";

test("a folder is synced, and one that does not exist is an error", () => {
  const folder = mkdtempSync(join(tmpdir(), "sync-folder-"));
  syncFolder(folder);
  rmSync(folder, { recursive: true });
  assert.throws(() => syncFolder(folder), { code: "ENOENT" });
});
