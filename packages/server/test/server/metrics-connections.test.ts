import assert from "node:assert/strict";
import { test } from "node:test";
import { exchange } from "../exchange.ts";
import { startTestServer } from "../test-server.ts";
import { openConnection } from "./connection.ts";
import { changesOf, readSamples } from "./metrics-reading.ts";

test("requests count by who read them, and so do open connections", async () => {
  const { url } = await startTestServer({ WFH_METRICS: "on" });
  const request = "GET /healthz HTTP/1.1\r\nHost: x\r\n";
  const readBy = (reader: string) => `wfh_requests_read_total{reader="${reader}"}`;
  const whole = await changesOf(url, "wfh_requests_read_total", () =>
    exchange(url, `${request}Connection: close\r\n\r\n`),
  );
  // Reading the metrics is one more.
  assert.deepEqual(whole, { [readBy("direct")]: 2 });
  const open = await openConnection(url);
  await open.send("HEAD /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  await open.until(/\r\n\r\n$/);
  let samples = await readSamples(url);
  assert.equal(samples.get(readBy("node_http")), 1);
  assert.ok((samples.get('wfh_connections{reader="direct"}') ?? 0) >= 1);
  // Connections that are being closed count until they are.
  while (samples.get('wfh_connections{reader="node_http"}') !== 1) samples = await readSamples(url);
  await open.send(`${request}Connection: close\r\n\r\n`);
  await open.closed();
});

test("connections beyond the most count", async () => {
  const { url } = await startTestServer({ WFH_CONNECTIONS_MAX: "2", WFH_METRICS: "on" });
  const held = await openConnection(url);
  const changes = await changesOf(url, "wfh_connections_dropped_total", async () => {
    const { closed } = await openConnection(url);
    await closed().catch(() => {});
  });
  assert.deepEqual(changes, { wfh_connections_dropped_total: 1 });
  await held.end("");
});

test("bytes that are no request count by why", async () => {
  const { url } = await startTestServer({ WFH_METRICS: "on" });
  const changes = await changesOf(url, "wfh_bad_requests_total", async () => {
    await exchange(url, "NOT HTTP\r\n\r\n");
    await exchange(url, `GET / HTTP/1.1\r\nX: ${"x".repeat(20_000)}\r\n\r\n`);
  });
  assert.deepEqual(changes, {
    'wfh_bad_requests_total{reason="malformed"}': 1,
    'wfh_bad_requests_total{reason="too_large"}': 1,
  });
});
