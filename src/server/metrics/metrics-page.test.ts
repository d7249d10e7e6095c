import assert from "node:assert/strict";
import { test } from "node:test";
import type { IncomingRequest } from "../http/incoming-request.ts";
import { readConfig } from "../settings/config.ts";
import { metricsPages } from "./metrics-page.ts";

test("where the figures of all processes cannot be gathered the answer is 503 and says why", async () => {
  const gone = () => Promise.reject(new Error("The first process of the server is gone"));
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
  assert.match(String(body), /first process/);
});
