import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import { packageVersionOf } from "../../scripts/debian-package.ts";

test("a package between releases is newer than the release, and older than the next", () => {
  const checkout = temporaryFolder();
  const commit = (at: string) => git("commit", "--allow-empty", "--message=x", `--date=${at}`);
  const git = (...words: readonly string[]) => {
    const date = words.find((word) => word.startsWith("--date="))?.slice(7);
    const who = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
    const env = { ...process.env, GIT_COMMITTER_DATE: date };
    execFileSync("git", [...who, ...words], { cwd: checkout, env, stdio: "ignore" });
  };
  writeFileSync(join(checkout, "package.json"), '{ "version": "0.1.0" }');
  assert.equal(packageVersionOf(checkout), "0.1.0");
  git("init");
  commit("2026-11-21T10:00:00Z");
  git("tag", "v0.1.0");
  assert.equal(packageVersionOf(checkout), "0.1.0");
  commit("2026-11-22T20:10:52Z");
  const earlier = packageVersionOf(checkout);
  assert.match(earlier, /^0\.1\.0\+git20261122\.201052\.[0-9a-f]{7,}$/);
  commit("2026-11-22T21:10:52Z");
  const later = packageVersionOf(checkout);
  if (spawnSync("dpkg", ["--version"]).status !== 0) return;
  for (const pair of [
    ["0.1.0", earlier],
    [earlier, later],
    [later, "0.1.1"],
  ] as const) {
    const [older, newer] = pair;
    execFileSync("dpkg", ["--compare-versions", older, "lt", newer]);
  }
});
