import assert from "node:assert/strict";
import { createServer, request } from "node:http";
import { after, test } from "node:test";
import { openLocally } from "@wfh/server/test/local-server.ts";
import { form, type LogInSite, openSite } from "@wfh/server/test/server/log-in-server.ts";
import { bounds, onPage } from "./chromium.ts";
import { firefoxBounds, openFirefox } from "./firefox.ts";

/** Page leaves in each browser: 15 here, 1,000 with `npm run test:sdk`. */
const leaves = Number(process.env["SDK_LEAVES"] ?? 15);
/** Time limit of one page on a busy machine, in milliseconds. */
const pageMs = 1_000;
const timeout = 60_000 + leaves * pageMs;

/** Beacons as blockers change them; the first is a browser without one. */
const beacons = [
  "",
  "navigator.sendBeacon = undefined",
  "navigator.sendBeacon = () => false",
  "navigator.sendBeacon = () => { throw new TypeError() }",
];

/** Fates of consecutive page requests on a network: a pause in ms, and the loss. */
const fates: readonly { readonly pauseMs: number; readonly lost?: "request" | "response" }[] = [
  { pauseMs: 0 },
  { pauseMs: 30 },
  { pauseMs: 0, lost: "response" },
  { pauseMs: 5 },
  { pauseMs: 200 },
  { pauseMs: 0, lost: "request" },
  { pauseMs: 10, lost: "response" },
];

/** A site of pages that each leave for the next, before a server over a bad network. */
async function openSiteOfLeaves(beacon: string) {
  let site: LogInSite | undefined;
  let turn = 0;
  const web = createServer((incoming, outgoing) => {
    const { url = "", method, headers } = incoming;
    const number = /^\/page\/(\d+)$/.exec(url)?.[1];
    if (number !== undefined) {
      outgoing.setHeader("Content-Type", "text/html").end(pageOf(Number(number), beacon));
      return;
    }
    const { pauseMs, lost } = (method === "POST" && fates[turn++ % fates.length]) || { pauseMs: 0 };
    setTimeout(() => {
      if (lost === "request") return void incoming.socket.destroy();
      const onward = request(`${site?.url}${url}`, { method, headers }, (response) => {
        if (lost === "response") {
          incoming.socket.destroy();
          response.resume();
          return;
        }
        outgoing.writeHead(response.statusCode ?? 500, response.headers);
        response.pipe(outgoing);
      });
      onward.on("error", () => incoming.socket.destroy());
      incoming.pipe(onward);
    }, pauseMs);
  });
  const url = await openLocally(web);
  site = await openSite({}, [form(12n, url, { remembering: "off", sameSite: "lax" })]);
  after(() => site?.close());
  return { url, site };
}

/** A page that leaves at once, while it loads, or soon after. */
function pageOf(number: number, beacon: string): string {
  const leave = `location.href = "/page/${number + 1}"`;
  const leaving = [
    `addEventListener("DOMContentLoaded", () => { ${leave} })`,
    `addEventListener("load", () => { ${leave} })`,
    `addEventListener("load", () => setTimeout(() => { ${leave} }, ${number % 40}))`,
  ];
  return `<!doctype html><title>Page ${number}</title>
<script>${beacon}; ${number < leaves ? leaving[number % leaving.length] : ""}</script>
<script defer src="/wfh.js" data-form="12" data-autofill="off"></script>`;
}

/** Holds the rows against the pages: each page is logged, and once. */
function expectEachOnce(site: LogInSite, url: string): void {
  const rows = site.sql("select page_url, count(*) as count from page_requests group by page_url");
  const counts = new Map(
    rows.map((row) => [String(row["page_url"]).slice(url.length), row["count"]]),
  );
  const pages = Array.from({ length: leaves + 1 }, (_none, i) => `/page/${i}`);
  assert.deepEqual(
    pages.filter((page) => !counts.has(page)),
    [],
    "lost",
  );
  assert.deepEqual(
    [...counts].filter(([, count]) => count !== 1n),
    [],
    "counted twice",
  );
  assert.equal(counts.size, pages.length);
}

const isDone = `location.pathname === "/page/${leaves}" && document.readyState === "complete" && (JSON.parse(sessionStorage["wfh page-requests"] ?? "[]").length === 0)`;

for (const beacon of beacons) {
  const name = beacon === "" ? "beacons" : `"${beacon}"`;
  test(`Chromium with ${name}: a visitor leaves ${leaves} pages, and each is logged once`, {
    ...bounds,
    timeout,
  }, async () => {
    const { url, site } = await openSiteOfLeaves(beacon);
    await onPage(`${url}/page/0`, async (tab) => {
      await tab.waitForFunction(isDone, undefined, { timeout, polling: 100 });
    });
    expectEachOnce(site, url);
  });
}

for (const beacon of beacons.slice(0, 2)) {
  const name = beacon === "" ? "beacons" : `"${beacon}"`;
  test(`Firefox with ${name}: a visitor leaves ${leaves} pages, and each is logged once`, {
    ...firefoxBounds,
    timeout,
  }, async () => {
    const { url, site } = await openSiteOfLeaves(beacon);
    const tab = await openFirefox();
    await tab.goto(`${url}/page/0`);
    // A page that is left while it is asked has no answer.
    const ask = () => tab.evaluate(isDone).catch(() => false);
    while (!(await ask())) await new Promise((resolve) => setTimeout(resolve, 100));
    expectEachOnce(site, url);
  });
}
