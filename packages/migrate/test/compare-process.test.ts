import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "@wfh/server/test/source-files.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import { plainEnvironment } from "@wfh/server/test/test-server.ts";
import { referenceFile } from "./compare-fixture.ts";
import { until } from "./stand-in.ts";

const main = "packaging/npm/wfh.ts";

/** Makes requests that never end, and leave nothing to wait for. */
const endless = `import http from "node:http";
import { EventEmitter } from "node:events";
import { syncBuiltinESMExports } from "node:module";
http.request = () => Object.assign(new EventEmitter(), { end() {} });
syncBuiltinESMExports();`;

test("a command that never ends has failed, though nothing is left to wait for", () => {
  const preload = ["--import", `data:text/javascript,${encodeURIComponent(endless)}`];
  const words = ["migrate", "compare", referenceFile, "--ours", "http://127.0.0.1:1", "--quiet"];
  const { status, stdout } = spawnSync(process.execPath, [...preload, main, ...words]);
  assert.deepEqual([status, String(stdout)], [69, ""]);
});

test("an interrupted comparison leaves no database behind", async () => {
  const folder = temporaryFolder();
  const file = join(folder, "old.ndjson");
  // More than is compared before the signal arrives.
  writeFileSync(file, readFileSync(referenceFile, "utf8").repeat(100));
  const child = spawn(process.execPath, [main, "migrate", "compare", file, "--with-side-effects"], {
    cwd: root,
    env: { ...plainEnvironment, TMPDIR: folder },
    stdio: ["ignore", "ignore", "ignore"],
  });
  const ended = once(child, "exit");
  await until(() => readdirSync(folder).length > 1, "a folder for the database");
  child.kill("SIGINT");
  assert.deepEqual(await ended, [130, null]);
  assert.deepEqual(readdirSync(folder), ["old.ndjson"]);
});
