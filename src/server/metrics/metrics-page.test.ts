import assert from "node:assert/strict";
import { test } from "node:test";
import type { IncomingRequest } from "../http/incoming-request.ts";
import { readConfig } from "../settings/config.ts";
import { metricsPages } from "./metrics-page.ts";

test("the response is 503 when the metrics of all workers cannot be read", async () => {
  const gone = () => Promise.reject(new Error("The supervisor has died"));
  const page = metricsPages(gone, readConfig(undefined, {}).config).get("/metrics");
  const headers = ["Host", "127.0.0.1:8080"];
  const incoming: IncomingRequest = {
    head: { method: "GET", path: "/metrics", query: "", headers, contentType: undefined },
    isAdmin: true,
    id: "r",
    peer: undefined,
    body: new Uint8Array(),
  };
  const { status, body } = (await page?.(incoming)) ?? assert.fail();
  assert.equal(status, 503);
  assert.match(String(body), /supervisor/);
});
