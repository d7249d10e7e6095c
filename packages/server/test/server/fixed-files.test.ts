import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startServer } from "../test-server.ts";

const server = await startServer({ WFH_HELP_PAGES: "off" });
after(() => server.close());

for (const [path, type, content] of [
  ["/favicon.ico", "image/svg+xml", /^<svg .*<\/svg>$/s],
  ["/robots.txt", "text/plain; charset=utf-8", /^User-agent: \*\nDisallow: \/\n$/],
  ["/llms.txt", "text/plain; charset=utf-8", /^# Web Forms Helper\n.*\/api\/v1\/openapi\.json/s],
  [
    "/.well-known/security.txt",
    "text/plain; charset=utf-8",
    /^Contact: mailto:\S+@\S+\nExpires: \d{4}-\d\d-\d\dT[\d:.]+Z\n$/,
  ],
] as const) {
  test(`${path} is served without help pages too, and leaves no line in the log`, async () => {
    const before = server.log.length;
    const response = await fetch(server.url + path);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get("content-type"), type);
    assert.match(await response.text(), content);
    const etag = response.headers.get("etag") ?? "";
    const again = await fetch(server.url + path, { headers: { "if-none-match": etag } });
    assert.equal(again.status, 304);
    assert.equal(server.log.length, before);
  });
}
