import assert from "node:assert/strict";
import { test } from "node:test";
import { SettingsError, startService } from "../src/index.ts";
import { startProgram } from "./running-program.ts";
import { readText, root } from "./source-files.ts";
import { plainEnvironment, temporaryDatabase } from "./test-server.ts";

const lookUp = "/api/LocationUIHelper.asmx/PostalCodeToCityState?postalCode=10001";

/** The first JavaScript program of a document, which imports the package from its source. */
function programIn(path: string): string {
  const program = /^```js\n([\s\S]*?)^```/m.exec(readText(path))?.[1] ?? "";
  assert.ok(program.trimEnd().split("\n").length <= 10, "the example has more than ten lines");
  const entry = new URL("../src/index.ts", import.meta.url).href;
  return program.replace('"web-forms-helper"', JSON.stringify(entry));
}

test("the program in docs/library.md starts the server as a library, and ends", {
  timeout: 30_000,
}, async () => {
  const words = ["--input-type=module", "--eval", programIn("docs/library.md")];
  const ports = { WFH_PORT: "0", WFH_ADMIN_PORT: "0" };
  const program = startProgram([process.execPath, ...words], {
    cwd: root,
    env: { ...plainEnvironment, ...ports, WFH_DATABASE_URL: temporaryDatabase() },
  });
  const url = await program.match(/^Listening on (\S+)$/m);
  const response = await fetch(new URL(lookUp, url));
  assert.match(await response.text(), /<City>New York<\/City>/);
  program.signal("SIGTERM");
  assert.equal(await program.ended(), 0);
});

test("startService() takes settings and log of the program, and closes once", async () => {
  const lines: string[] = [];
  const settings = {
    WFH_PORT: "0",
    WFH_DATABASE_URL: temporaryDatabase(),
    WFH_DRAIN_MS: "0",
    WFH_ODDITY: "1",
  };
  const log = { write: (line: string) => lines.push(line) };
  const server = await startService({ settings, log });
  assert.equal(server.adminUrl, undefined);
  assert.equal((await fetch(new URL(lookUp, server.url))).status, 200);
  assert.match(lines.join(""), /WFH_ODDITY/);
  assert.deepEqual(await Promise.all([server.close(), server.close()]), [true, true]);
  await assert.rejects(fetch(server.url));
});

test("startService() closes the database when the port is taken", async () => {
  const settings = { WFH_PORT: "0", WFH_DATABASE_URL: temporaryDatabase(), WFH_DRAIN_MS: "0" };
  const log = { write: () => {} };
  const first = await startService({ settings, log });
  const taken = { ...settings, WFH_DATABASE_URL: temporaryDatabase() };
  const { port } = new URL(first.url);
  await assert.rejects(startService({ settings: { ...taken, WFH_PORT: port }, log }), {
    code: "EADDRINUSE",
  });
  const lines: string[] = [];
  const second = await startService({
    settings: taken,
    log: { write: (line) => lines.push(line) },
  });
  assert.doesNotMatch(lines.join(""), /another server has the same SQLite file open/);
  await Promise.all([first.close(), second.close()]);
});

test("startService() names every setting that cannot be used", async () => {
  const settings = { WFH_PORT: "many", WFH_HEADERS_MAX: "-1" };
  await assert.rejects(startService({ settings }), (error) => {
    assert.ok(error instanceof SettingsError);
    assert.match(error.message, /WFH_PORT="many"[\s\S]*WFH_HEADERS_MAX="-1"/);
    return true;
  });
});
