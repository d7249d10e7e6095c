import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { after, test } from "node:test";
import { openCliFixture } from "../cli/cli-fixture.ts";
import { quickFolder } from "../quick-folder.ts";
import { calls, routeText, startProcess, startStandIn, textOf, until } from "./route-fixture.ts";

const folder = mkdtempSync(join(quickFolder, "wfh-route-process-"));
after(() => rmSync(folder, { recursive: true }));
const file = join(folder, "routes.toml");
const [old, ours] = [await startStandIn("the old one"), await startStandIn("ours")];
const sides = { old: old.url, new: ours.url };

test("wfh migrate route reads its file on SIGHUP, and finishes requests on SIGTERM", async () => {
  writeFileSync(file, routeText(sides, ""));
  const { url, child, log, stop } = await startProcess(["migrate", "route", file]);
  child.kill("SIGHUP");
  await until(() => log.some((line) => line.includes("the routes are the same")), "SIGHUP");
  const arrived = Promise.withResolvers<ServerResponse>();
  old.respond = arrived.resolve;
  const call = textOf(calls.get(url));
  const response = await arrived.promise;
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
  response.end("late");
  assert.equal(await call, "late");
  assert.equal(await stopped, 0);
});

test("wfh migrate route says what is in its way", async () => {
  const taken = new URL(old.url).host;
  const text = routeText({ old: "http://127.0.0.1:9", new: ours.url }, "");
  writeFileSync(file, text.replace("127.0.0.1:0", taken));
  await assert.rejects(startProcess(["migrate", "route", file]), /ended with 3/);
  await assert.rejects(startProcess(["migrate", "route", `${file}.none`]), /ended with 2/);
  const cli = openCliFixture();
  after(() => cli.close());
  writeFileSync(file, text.replace(/^metrics = .*$/m, `metrics = "${taken}"`));
  const { code, err } = await cli.run(["migrate", "route", file]);
  assert.equal(code, 3);
  assert.match(
    err,
    /Cannot listen at 127\.0\.0\.1, .*\nName another address \(metrics in .*\.toml\)/,
  );
});
