import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startOtlpReceiver } from "../otlp-receiver.ts";
import { temporaryDatabase } from "../test-server.ts";
import { call, lookUp, openCallersOfBoth } from "./caller.ts";
import { endCluster, killClusters, startCluster } from "./cluster-process.ts";

after(killClusters);

test("every call of both workers has a span by the time they have ended", async (t) => {
  const receiver = await startOtlpReceiver();
  t.after(() => receiver.close());
  const cluster = await startCluster({
    ...receiver.environment,
    WFH_DATABASE_URL: temporaryDatabase(),
  });
  const expected: string[] = [];
  for (const callers of await openCallersOfBoth(cluster.url, 2)) {
    for (const caller of callers) {
      for (const request of [lookUp("10001"), call("LogPageRequestAsync", { form_id: 1 })]) {
        expected.push((await caller.ask(request)).id);
      }
      caller.close();
    }
  }
  await endCluster(cluster);
  const traced = receiver
    .spans()
    .flatMap(({ attributes }) => attributes)
    .filter(({ key }) => key === "wfh.request_id")
    .map(({ value }) => value.stringValue);
  assert.deepEqual(traced.toSorted(), expected.toSorted());
});
