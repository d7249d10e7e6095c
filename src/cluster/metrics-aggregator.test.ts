import assert from "node:assert/strict";
import { test } from "node:test";
import { counter, gauge, type MetricFamily } from "../server/metrics/metric.ts";
import { MetricsAggregator } from "./metrics-aggregator.ts";

function families(calls: number, waiting: number): readonly MetricFamily[] {
  const metrics = [
    counter("calls_total", "Calls.", () => calls),
    gauge("waiting", "Waiting.", () => waiting),
  ];
  return metrics.map(({ read, ...metric }) => ({
    ...metric,
    values: [{ labels: {}, value: Number(read()) }],
  }));
}

/** An aggregator whose workers respond at once, with what the test says; undefined is no response. */
function createCluster(states: Record<string, readonly MetricFamily[] | undefined>) {
  const aggregator = new MetricsAggregator<string>();
  const read = async () => {
    const text = await aggregator.read(
      Object.keys(states),
      (worker) => {
        const response = states[worker];
        if (response !== undefined) aggregator.receive(worker, response);
      },
      () => Promise.resolve([]),
    );
    return text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  };
  return { aggregator, states, read };
}

test("the metrics of all workers are summed up", async () => {
  const { read } = createCluster({ one: families(3, 1), two: families(4, 2) });
  assert.deepEqual(await read(), ["calls_total 7", "waiting 3"]);
});

test("what a worker had counted stays in the total when it has ended, and its gauges do not", async () => {
  const { aggregator, states, read } = createCluster({ one: families(3, 1), two: families(4, 2) });
  await read();
  delete states["two"];
  aggregator.remove("two");
  assert.deepEqual(await read(), ["calls_total 7", "waiting 1"]);
  states["next"] = families(1, 5);
  assert.deepEqual(await read(), ["calls_total 8", "waiting 6"]);
});

test("a worker that does not respond in time is counted as it last did, without its gauges", async () => {
  const { aggregator, states, read } = createCluster({ one: families(3, 1), two: families(4, 2) });
  await read();
  states["two"] = undefined;
  assert.deepEqual(await read(), ["calls_total 7", "waiting 1"]);
  assert.equal(aggregator.silent, 1);
});
