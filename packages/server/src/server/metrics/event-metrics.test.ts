import assert from "node:assert/strict";
import { test } from "node:test";
import { EventMetrics } from "./event-metrics.ts";
import { renderMetrics } from "./metric.ts";

test("a transaction counts with its duration and its rows when it is on disk, and else as a failure", async () => {
  let nowMs = 1_000;
  const events = new EventMetrics(() => nowMs);
  const ended = events.onBatch(17);
  nowMs += 40;
  ended(true, 2);
  const failed = events.onBatch(9);
  nowMs += 5_000;
  failed(false, 0);
  const text = await renderMetrics(events.metrics());
  for (const line of [
    'wfh_page_request_commit_seconds_bucket{le="0.025"} 0',
    'wfh_page_request_commit_seconds_bucket{le="0.05"} 1',
    "wfh_page_request_commit_seconds_sum 0.04",
    "wfh_page_request_commit_seconds_count 1",
    "wfh_page_request_batch_rows_sum 17",
    "wfh_page_request_commit_failures_total 1",
    "wfh_page_request_key_conflicts_total 2",
  ]) {
    assert.ok(text.split("\n").includes(line), line);
  }
});
