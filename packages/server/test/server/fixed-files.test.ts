import assert from "node:assert/strict";
import { after, test } from "node:test";
import { type IncomingRequest, readHead } from "../../src/server/http/incoming-request.ts";
import { createFixedFile } from "../../src/server/pages/fixed-files.ts";
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
    /^Contact: mailto:\S+@\S+\nExpires: \d{4}-\d\d-\d\dT00:00:00Z\n$/,
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

test("the contact of security.txt is promised for 360 days from the day of the request", (t) => {
  const respond = createFixedFile("/.well-known/security.txt");
  const request = { head: readHead("GET", "/.well-known/security.txt", []) } as IncomingRequest;
  t.mock.timers.enable({ apis: ["Date"] });
  for (const [today, expires] of [
    ["2026-01-01T00:00:00Z", "2026-12-27"],
    ["2026-01-01T23:59:59Z", "2026-12-27"],
    ["2027-06-01T12:00:00Z", "2028-05-26"],
  ] as const) {
    t.mock.timers.setTime(Date.parse(today));
    assert.match(Object(respond(request)).body, new RegExp(`^Expires: ${expires}T00:00:00Z$`, "m"));
  }
});
