import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { renderManPage } from "./man-page.ts";

const page = await renderManPage();

test("the manual page has every command with its options and examples", () => {
  for (const part of [
    ".SS wfh accounts import [options] <file>",
    ".SS wfh migrate record [options]",
    ".B \\-c, \\-\\-config <file>",
    "  wfh backup wfh\\-2026\\-11\\-21 ",
  ]) {
    assert.ok(page.includes(part), part);
  }
  assert.doesNotMatch(page, /^\.SS wfh (?:complete|help)\b/m);
});

test("groff renders the manual page without a warning", (t) => {
  const words = ["-man", "-ww", "-Tutf8", "-Kutf8"];
  const { error, stdout, stderr } = spawnSync("groff", words, { input: page, encoding: "utf8" });
  if (error !== undefined) return t.skip("groff is not installed here");
  assert.equal(stderr, "");
  assert.match(stdout, /accounts/);
});
