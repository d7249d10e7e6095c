import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestServer } from "../test-server.ts";

const origin = "https://www.example.org";
const server = await startTestServer({ WFH_HELP_PAGES: "off", WFH_ALLOWED_ORIGINS: origin });

const logging = ["/wfh.js", "/wfh.mjs", "/wfh-log-in.js", "/wfh-log-in.mjs"];

for (const path of [...logging, "/wfh-suggest.mjs"]) {
  test(`pages of all origins may load ${path}, without help pages too`, async () => {
    for (const headers of [{}, { Origin: origin }, { Origin: "https://other.example" }]) {
      const response = await fetch(server.url + path, { headers });
      assert.equal(response.status, 200);
      assert.equal(response.headers.get("access-control-allow-origin"), "*");
      assert.equal(response.headers.get("cross-origin-resource-policy"), "cross-origin");
      assert.equal(response.headers.get("content-type"), "text/javascript; charset=utf-8");
      assert.equal(response.headers.get("cache-control"), "public, max-age=3600");
      assert.equal(/page-requests/.test(await response.text()), logging.includes(path));
    }
  });
}

test("a cached script is not sent again", async () => {
  const etag = (await fetch(`${server.url}/wfh.js`)).headers.get("etag") ?? "";
  assert.match(etag, /^"[\w-]{43}"$/);
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
    const response = await fetch(`${server.url}/wfh.js`, { headers: { "If-None-Match": known } });
    assert.equal(response.status, 304);
    assert.equal(response.headers.get("etag"), etag);
    assert.equal(response.headers.get("content-length"), null);
    assert.equal(await response.text(), "");
  }
  const other = await fetch(`${server.url}/wfh.js`, { headers: { "If-None-Match": '"other"' } });
  assert.equal(other.status, 200);
});

test("HEAD tells of a script without it, and POST is refused", async () => {
  const head = await fetch(`${server.url}/wfh.js`, { method: "HEAD" });
  assert.equal(head.status, 200);
  assert.ok(Number(head.headers.get("content-length")) > 1000);
  assert.equal((await fetch(`${server.url}/wfh.js`, { method: "POST" })).status, 405);
});
