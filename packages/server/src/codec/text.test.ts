import assert from "node:assert/strict";
import { test } from "node:test";
import { replaceControls } from "./text.ts";

test("replaceControls() replaces what a terminal takes for commands", () => {
  assert.equal(replaceControls("a\0b\u001b[2Jc\u007fd\u009be"), "a\ufffdb\ufffd[2Jc\ufffdd\ufffde");
});

test("replaceControls() leaves letters, tabs and line ends as they are", () => {
  const text = "Grüße,\t世界 😀\r\n\u00a0\u2028";
  assert.equal(replaceControls(text), text);
});
