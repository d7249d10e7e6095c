import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { plainEnvironment, temporaryDatabase } from "@wfh/server/test/test-server.ts";
import { emulator, noTerminal } from "./terminal-emulator.ts";

const databaseUrl = temporaryDatabase();

/** Output of a command, on a terminal or into pipes. */
function outputOf(
  words: string,
  where: "terminal" | "pipe",
  settings: Readonly<Record<string, string>> = {},
): string {
  const command = `${process.execPath} packaging/npm/wfh.ts ${words}`;
  const [program, flags] =
    where === "terminal" ? [emulator, ["-qec", command, "/dev/null"]] : ["sh", ["-c", command]];
  const env = {
    ...plainEnvironment,
    TERM: "xterm",
    WFH_DATABASE_URL: databaseUrl,
    WFH_PORT: "0",
    ...settings,
  };
  const { stdout, stderr } = spawnSync(program, flags, { encoding: "utf8", env, timeout: 60_000 });
  return stdout + stderr;
}

const shown: readonly [words: string, coloured: string][] = [
  ["doctor", "\u001b[32mok  \u001b[39m  settings"],
  ["page-requests tail --help", "\u001b[1mOptions:\u001b[22m"],
  ["accounts list --help", "\u001b[1mOptions:\u001b[22m"],
  ["accounts revoke bob", "\u001b[31mThere is no account bob."],
];
for (const [words, coloured] of shown) {
  test(`wfh ${words} has colours on a terminal`, { skip: noTerminal }, () => {
    const written = outputOf(words, "terminal");
    assert.ok(written.includes(coloured), JSON.stringify(written));
  });

  for (const [where, settings] of [
    ["terminal", { NO_COLOR: "1" }],
    ["pipe", {}],
  ] as const) {
    const name = where === "pipe" ? "in a pipe" : "on a terminal with NO_COLOR";
    test(`wfh ${words} has no colours ${name}`, { skip: noTerminal }, () => {
      const written = outputOf(words, where, settings);
      assert.ok(!written.includes("\u001b"), JSON.stringify(written));
      assert.ok(written.length > 0);
    });
  }
}
