import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { after, test } from "node:test";
import { openCliFixture } from "../cli/cli-fixture.ts";
import { exchange } from "../exchange.ts";
import { freePort } from "../free-port.ts";
import { quickFolder } from "../quick-folder.ts";
import { calls, routeText, startProcess, startStandIn, textOf, until } from "./route-fixture.ts";

const folder = mkdtempSync(join(quickFolder, "wfh-route-process-"));
after(() => rmSync(folder, { recursive: true }));
const fixture = openCliFixture();
after(() => fixture.close());
const file = join(folder, "routes.toml");
const [old, ours] = [await startStandIn("the old one"), await startStandIn("ours")];
const sides = { old: old.url, new: ours.url };

test("wfh migrate route reads its file on SIGHUP, and finishes requests on SIGTERM", async () => {
  writeFileSync(file, routeText(sides, ""));
  const { url, child, log, stop } = await startProcess(["migrate", "route", file]);
  child.kill("SIGHUP");
  await until(() => log.some((line) => line.includes("the routes are the same")), "SIGHUP");
  const arrived: ServerResponse[] = [];
  old.respond = (response) => arrived.push(response);
  const call = textOf(calls.get(url));
  // Keeps its connection, unless it is told otherwise.
  const kept = exchange(url, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  await until(() => arrived.length === 2, "two requests");
  const stopped = stop();
  await until(() => log.some((line) => line.includes('"stopping"')), "SIGTERM");
  await until(
    () =>
      fetch(url).then(
        () => false,
        () => true,
      ),
    "no more connections",
  );
  for (const response of arrived) response.end("late");
  assert.equal(await call, "late");
  assert.match(await kept, /^Connection: close\r\n\r\nlate$/m);
  assert.equal(await stopped, 0);
});

test("wfh migrate route warns of servers that do not respond, or are not ready", async () => {
  const origin = `http://127.0.0.1:${await freePort()}`;
  writeFileSync(file, routeText({ old: origin, new: ours.url }, ""));
  ours.respond = (response) => response.writeHead(503).end();
  const { log } = await startProcess(["migrate", "route", file]);
  const warns = (text: string) => log.some((line) => line.includes(text));
  await until(() => warns(`The old server (${origin}): nothing responds there. Check`), "old");
  const unready = `The new server (${ours.url}) is not ready for calls. Its /readyz says why.`;
  await until(() => warns(unready), "new");
});

test("wfh migrate route says what is in its way", async () => {
  const taken = new URL(old.url).host;
  const text = routeText({ old: "http://127.0.0.1:9", new: ours.url }, "");
  for (const key of ["listen", "metrics"]) {
    writeFileSync(file, text.replace(`${key} = "127.0.0.1:0"`, `${key} = "${taken}"`));
    const { code, err } = await fixture.run(["migrate", "route", file]);
    assert.equal(code, 3);
    const [host, port] = taken.split(":");
    assert.equal(
      err,
      `Cannot listen at ${host}, port ${port}: address already in use.\nName another address (${key} in ${file}), or stop what listens there.\n`,
    );
  }
  const { code, err } = await fixture.run(["migrate", "route", `${file}.none`]);
  assert.equal(code, 2);
  assert.match(err, /^Cannot read the route file\. File not found: /);
});
