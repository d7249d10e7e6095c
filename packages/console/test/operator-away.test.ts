import assert from "node:assert/strict";
import { renameSync } from "node:fs";
import { test } from "node:test";
import type { IncomingRequest } from "@wfh/server/server/http/incoming-request.ts";
import { temporaryDatabase } from "@wfh/server/test/test-server.ts";
import { loadPart } from "../src/load-part.ts";
import { lazyOperatorPages } from "../src/pages/lazy-pages.ts";
import type { PageDeps } from "../src/pages/page-context.ts";
import { openSite, startOperatorSite } from "./operator-site.ts";

test("the pages are at the admin listener alone, unless WFH_OPERATOR_PAGE is on", async (t) => {
  const site = await startOperatorSite({ WFH_OPERATOR_PAGE: "admin" });
  t.after(() => site.close());
  const main = await fetch(`${site.url}/operator/log-in`);
  assert.equal(main.status, 403);
  assert.match(await main.text(), /only at the admin listener/);
  const admin = await fetch(`${site.server.adminUrl}/operator/log-in`);
  assert.equal(admin.status, 200);
  assert.match(await admin.text(), /<h1>Log in/);
});

test("a new server says what would fill its pages, with the line to copy", async (t) => {
  const { site, cookie } = await openSite(t, { WFH_BASE_URL: "http://forms.example" });
  const lines = [
    { path: "/operator", line: "src=&quot;http://forms.example/wfh.js&quot; data-form=" },
    { path: "/operator", line: "wfh forms add" },
    { path: "/operator?form=12", line: "/wfh.js&quot; data-form=&quot;12&quot;" },
    { path: "/operator/accounts", line: "wfh accounts add" },
    { path: "/operator/events?event=logged-in", line: "wfh accounts events" },
  ];
  for (const { path, line } of lines) {
    assert.ok((await site.read(path, cookie)).includes(line), path);
  }
  const other = await openSite(t);
  const shown = await other.site.read("/operator", other.cookie);
  assert.ok(shown.includes(`src=&quot;${other.site.url}/wfh.js`), "the address of the request");
  assert.match(await site.read("/operator", cookie), /Until 16:00 UTC 0; a week before 0/);
});

test("a database that is away gets a page that says so, with the checks of the server", async (t) => {
  const url = temporaryDatabase();
  const { site, cookie } = await openSite(t, { WFH_DATABASE_URL: url });
  await site.read("/operator", cookie);
  const file = url.slice("sqlite:".length);
  renameSync(file, `${file}.away`);
  t.after(() => renameSync(`${file}.away`, file));
  const response = await site.request("/operator", cookie);
  const body = await response.text();
  assert.equal(response.status, 503, body.slice(-500));
  assert.match(body, /The database is away/);
  assert.equal(response.headers.get("refresh"), "5");
  // Who asks is not known without it, so that the main port shows no more.
  assert.doesNotMatch(body, /The clock is right/);
  const headers = { Cookie: cookie };
  const admin = await fetch(`${site.server.adminUrl}/operator`, { headers, redirect: "manual" });
  const shown = await admin.text();
  assert.match(shown, /The database is away.*The clock is right/s);
  assert.doesNotMatch(shown, /The disk has|Cannot open|ENOENT|: database/, "older or raw words");
});

test("pages whose files an upgrade has replaced say that the server has to be restarted", async () => {
  const load = () => loadPart(() => Promise.reject(new Error("Cannot find module")));
  // They are not loaded, and so need nothing.
  const pages = lazyOperatorPages({} as PageDeps, load);
  const response = await pages.get("/operator")?.({} as IncomingRequest);
  assert.equal(response?.status, 503);
  assert.match(String(response?.body), /replaced while it runs: restart the server/);
});
