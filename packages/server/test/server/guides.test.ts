import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { ajaxEndpoint } from "../../src/contract/ajax-endpoint.ts";
import { restApi } from "../../src/contract/rest-api.ts";
import { exchange, readResponse } from "../exchange.ts";
import { readText, root } from "../source-files.ts";
import { startTestServer } from "../test-server.ts";

const server = await startTestServer();
const admin = await startTestServer({ WFH_HELP_PAGES: "admin" });
const off = await startTestServer({ WFH_HELP_PAGES: "off" });

const { path: endpoint } = ajaxEndpoint;
const { path: api } = restApi;
const pages = [
  "/",
  "/demo",
  endpoint,
  `${endpoint}?op=LogInUser`,
  api,
  `${api}?op=findPlaces`,
  `${api}/problems/busy`,
];

/** The response to a GET of a target that fetch() would normalise. */
async function ask(url: string, target: string) {
  const head = `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nConnection: close\r\n\r\n`;
  return readResponse(await exchange(url, head));
}

test("every page links to the guides, which are served where the pages are", async () => {
  for (const target of pages) {
    const { body } = await ask(server.url, target);
    for (const guide of ["/docs/", "/docs/rest", "/docs/from-a-page"]) {
      const links = [...body.matchAll(/<a (?:class="group" )?href="([^"]*)"/g)].map(
        ([, link = ""]) => new URL(link, `http://x${target}`).pathname,
      );
      assert.ok(links.includes(guide), `${target} ${guide}`);
      assert.equal((await ask(server.url, guide)).status, 200);
    }
  }
  const { body: demo } = await ask(server.url, "/demo");
  assert.match(demo, /<a href="docs\/from-a-page">/);
  const { status: moved, headers: to } = await ask(server.url, "/docs");
  assert.deepEqual([moved, to.get("location")], [308, "docs/"]);
  const names = readdirSync(`${root}docs`).filter((name) => name.endsWith(".md"));
  assert.ok(names.length > 20);
  for (const name of names) {
    const { status, headers, body } = await ask(server.url, `/docs/${name}`);
    assert.equal(status, 200);
    assert.equal(headers.get("content-type"), "text/plain; charset=utf-8");
    assert.equal(body, readText(`docs/${name}`));
    const known = { headers: { "If-None-Match": headers.get("etag") ?? "" } };
    assert.equal((await fetch(`${server.url}/docs/${name}`, known)).status, 304);
    assert.equal((await ask(admin.url, `/docs/${name}`)).status, 403);
    assert.equal((await ask(off.url, `/docs/${name}`)).status, 404);
  }
  for (const other of ["README", "nothing.md", "decisions/README.md", "../package.json"]) {
    assert.equal((await ask(server.url, `/docs/${other}`)).status, 404, other);
  }
});
