import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../free-port.ts";
import { missingProxy } from "../interop/nginx.ts";
import { startNginx } from "../nginx-alone.ts";
import { quickFolder } from "../quick-folder.ts";
import { temporaryDatabase } from "../test-server.ts";
import { routeText, startProcess, textOf } from "./route-fixture.ts";

/** How long requests come while the routes are switched every second. `WFH_ROUTE_SECONDS=60` is the long form. */
const seconds = Number(process.env["WFH_ROUTE_SECONDS"] ?? 3);
const perSecond = 300;
const clients = 30;

const folder = mkdtempSync(join(quickFolder, "wfh-switch-"));
after(() => rmSync(folder, { recursive: true }));

/** Sends calls to a URL at a rate, and counts what is wrong with their responses. */
async function load(url: string) {
  const agent = new Agent({ keepAlive: true });
  const found = { sent: 0, failed: [] as string[], slowestMs: 0 };
  const until = performance.now() + seconds * 1_000;
  const client = async (number: number) => {
    for (let i = 0; performance.now() < until; i += 1) {
      const beganMs = performance.now();
      const outcome = await send(url, i % 2 === 0, agent).catch(({ message }: Error) => message);
      found.sent += 1;
      if (outcome !== "fine") found.failed.push(`client ${number}: ${outcome}`);
      found.slowestMs = Math.max(found.slowestMs, performance.now() - beganMs);
      await pause(Math.max(0, beganMs + (clients * 1_000) / perSecond - performance.now()));
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, number) => client(number)));
  agent.destroy();
  return found;
}

/** A look-up by HTTP GET, or a page request as JSON. */
async function send(url: string, isLookup: boolean, agent: Agent): Promise<string> {
  const [method, path] = isLookup
    ? ["GET", "/api/LocationUIHelper.asmx/PostalCodeToCityState?postalCode=10001"]
    : ["POST", "/api/WebFormsAjaxEndpoint.svc/LogPageRequestAsync"];
  const sent = request(url + path, {
    method,
    agent,
    headers: { "Content-Type": "application/json" },
  });
  sent.end(isLookup ? "" : '{"currentUrl":"https://www.example.org/"}');
  const [response] = await once(sent, "response");
  const body = await text(response);
  const isFine = response.statusCode === 200 && body.includes(isLookup ? "New York" : '"d":null');
  return isFine ? "fine" : `${response.statusCode} ${body}`;
}

test("no request fails through nginx while routes are switched every second", {
  skip: missingProxy,
}, async (t) => {
  const settings = () => ({ WFH_PORT: "0", WFH_DATABASE_URL: temporaryDatabase() });
  const [old, ours] = [
    await startProcess(["serve"], settings()),
    await startProcess(["serve"], settings()),
  ];
  const file = join(folder, "routes.toml");
  writeFileSync(file, routeText({ old: old.url, new: ours.url }, ""));
  const router = await startProcess(["migrate", "route", file]);
  const port = await freePort();
  const nginx = await startNginx(
    folder,
    `upstream router { server ${new URL(router.url).host}; keepalive 64; }
     server {
       listen 127.0.0.1:${port};
       location / {
         proxy_pass http://router;
         proxy_http_version 1.1;
         proxy_set_header Connection "";
         proxy_next_upstream off;
       }
     }`,
  );
  after(nginx.stop);
  const loading = load(`http://127.0.0.1:${port}`);
  let switches = 0;
  const switching = setInterval(() => {
    switches += 1;
    writeFileSync(
      file,
      routeText({ old: old.url, new: ours.url }, `default = "${switches % 2 ? "new" : "old"}"\n`),
    );
  }, 1_000);
  const { sent, failed, slowestMs } = await loading;
  clearInterval(switching);
  const metrics = await textOf(fetch(router.metrics));
  const [toOld = 0, toNew = 0] = ["old", "new"].map((side) =>
    [...metrics.matchAll(new RegExp(`^wfh_route_requests_total.*"${side}".* (\\d+)$`, "gm"))]
      .map(([, count]) => Number(count))
      .reduce((sum, count) => sum + count, 0),
  );
  t.diagnostic(
    `${sent} requests in ${seconds} s, ${switches} switches, ${failed.length} failed, ${toOld} old, ${toNew} new, slowest ${slowestMs.toFixed(0)} ms`,
  );
  assert.deepEqual(failed, []);
  assert.ok(Math.min(toOld, toNew) > sent / 5);
  assert.equal(toOld + toNew, sent);
  assert.equal(await router.stop(), 0);
});
