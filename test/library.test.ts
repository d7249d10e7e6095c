import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { readText, root } from "./source-files.ts";
import { plainEnvironment, temporaryDatabase } from "./test-server.ts";

/** The first program of a document in JavaScript, which imports the package from its source here. */
function programIn(path: string): string {
  const program = /^```js\n([\s\S]*?)^```/m.exec(readText(path))?.[1] ?? "";
  const entry = new URL("../src/index.ts", import.meta.url).href;
  return program.replace('"web-forms-helper"', JSON.stringify(entry));
}

test("the program in docs/operating.md starts the server as a library, and ends", {
  timeout: 30_000,
}, async () => {
  const words = ["--input-type=module", "--eval", programIn("docs/operating.md")];
  const ports = { WFH_PORT: "0", WFH_ADMIN_PORT: "0" };
  const program = spawn(process.execPath, words, {
    cwd: root,
    env: { ...plainEnvironment, ...ports, WFH_DATABASE_URL: temporaryDatabase() },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(program, "exit");
  let url: string | undefined;
  for await (const line of createInterface(program.stdout)) {
    url = /^Listening on (\S+)$/.exec(line)?.[1];
    if (url !== undefined) break;
  }
  assert.ok(url);
  const path = "/api/LocationUIHelper.asmx/PostalCodeToCityState?postalCode=10001";
  const response = await fetch(new URL(path, url));
  assert.match(await response.text(), /<City>New York<\/City>/);
  program.kill("SIGTERM");
  assert.deepEqual(await ended, [0, null]);
});
