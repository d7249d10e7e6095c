import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { quickFolder } from "@wfh/server/test/quick-folder.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import { runProgram } from "../src/program.ts";
import { startWfh } from "./wfh-process.ts";

/** Look-ups on their way at the same time. */
const inFlight = 8;

/** Starts a server of the default settings in a folder of its own. */
async function serveIn(t: TestContext) {
  const folder = temporaryFolder(quickFolder);
  const settings = join(folder, "settings.toml");
  writeFileSync(
    settings,
    `WFH_GAZETTEER = ${JSON.stringify(join(folder, "web-forms-helper.gazetteer"))}\n`,
  );
  const server = startWfh(["serve"], { cwd: folder });
  t.after(server.kill);
  const { url } = await server.line(({ msg }) => msg === "listening");
  const silent = { out: () => {}, err: () => {} };
  return {
    server,
    url: String(url),
    /** Runs a command on the gazetteer of the server; resolves to its exit code. */
    run: (...words: string[]) => runProgram([...words, "--config", settings], silent),
  };
}

/** Sends requests without a pause until it is stopped, and fails with the first wrong response. */
function hammer(url: string) {
  let isOver = false;
  let count = 0;
  const ask = async (postalCode: string) => {
    const path = `/api/LocationUIHelper.asmx/PostalCodeToCityState?postalCode=${postalCode}`;
    const response = await fetch(url + path);
    count += 1;
    assert.equal(response.status, 200);
    return /<City>([^<]*)<\/City>/.exec(await response.text())?.[1];
  };
  const worker = async () => {
    while (!isOver) assert.equal(await ask("10001"), "New York");
  };
  const workers = Promise.all(Array.from({ length: inFlight }, worker));
  return {
    /** Resolves when a postal code has a city, or has none any more. */
    until: async (postalCode: string, city: string | undefined) => {
      for (let found = await ask(postalCode); found !== city; found = await ask(postalCode)) {
        assert.match(found ?? "", /^(?:|Dublin)$/);
      }
    },
    stop: async () => {
      isOver = true;
      await workers;
      return count;
    },
  };
}

test("a server under load takes an import, a second one and a rollback without a wrong response", async (t) => {
  const { server, url, run } = await serveIn(t);
  const ireland = join(temporaryFolder(quickFolder), "IE.txt");
  writeFileSync(ireland, "IE\tD02\tDublin\tLeinster\tL\t\t\t\t\t45.4\t-75.7\t\n");
  const look = hammer(url);

  await look.until("D02", undefined);
  assert.equal(await run("places", "import", "geonames", ireland, "--quiet"), 0);
  await look.until("D02", "Dublin");

  assert.equal(await run("places", "rollback", "--quiet"), 0);
  server.signal("SIGHUP");
  await look.until("D02", undefined);

  assert.equal(await run("places", "rollback", "--quiet"), 0);
  server.signal("SIGHUP");
  await look.until("D02", "Dublin");

  t.diagnostic(`${await look.stop()} responses`);
  // A response may overtake the line of the log that it follows: only the whole log counts.
  server.signal("SIGTERM");
  await server.ended();
  const entries = server.log.filter(({ msg }) => msg === "gazetteer replaced");
  assert.equal(entries.length, 3);
  assert.match(
    JSON.stringify(entries[0]),
    /"before":{[^}]*"countries":2},"after":{[^}]*"countries":3}/,
  );
});
