import assert from "node:assert/strict";
import { after, test } from "node:test";
import { type Family, readExposition } from "../server/exposition.ts";
import { readText } from "../source-files.ts";
import { temporaryDatabase } from "../test-server.ts";
import { type Caller, call, get, lookUp, openCallersOfBoth } from "./caller.ts";
import { endCluster, isListening, killClusters, startCluster } from "./cluster-process.ts";

after(killClusters);

const cluster = await startCluster({
  WFH_DATABASE_URL: temporaryDatabase(),
  WFH_METRICS: "on",
  WFH_ADMIN_PORT: "0",
});
after(() => endCluster(cluster));
const groups = await openCallersOfBoth(cluster.url, 3);
after(() => {
  for (const caller of groups.flat()) caller.close();
});

/** Reads the metrics over a connection, and checks their form. */
async function readFamilies(caller: Caller | undefined): Promise<ReadonlyMap<string, Family>> {
  const { status, body } = (await caller?.ask(get("/metrics"))) ?? assert.fail();
  assert.equal(status, 200);
  return readExposition(body);
}

function valueIn(families: ReadonlyMap<string, Family>, key: string): number | undefined {
  return [...families.values()]
    .flatMap(({ samples }) => samples)
    .find((sample) => sample.key === key)?.value;
}

const lookUps =
  'wfh_requests_total{service="LocationUIHelper",operation="PostalCodeToCityState",binding="http-get",outcome="ok"}';

test("one scrape has what both workers and the supervisor count, from either worker", async () => {
  await Promise.all(
    groups.flat().map(async (caller) => {
      for (let i = 0; i < 5; i += 1) {
        await caller.ask(lookUp("10001"));
        await caller.ask(call("LogPageRequestAsync", { form_id: i }));
      }
    }),
  );
  for (const [caller] of groups) {
    const families = await readFamilies(caller);
    assert.equal(valueIn(families, lookUps), 30);
    assert.equal(valueIn(families, "wfh_page_request_batch_rows_sum"), 30);
    assert.ok((valueIn(families, "wfh_page_request_commit_seconds_count") ?? 0) > 0);
    assert.equal(valueIn(families, "wfh_ready"), 1);
    assert.equal(valueIn(families, "wfh_connections_max"), 10_000);
    assert.equal(valueIn(families, "wfh_page_requests_queue_max"), 10_000);
    assert.equal(valueIn(families, "wfh_workers"), 2);
    assert.equal(valueIn(families, "wfh_workers_silent"), 0);
    const busy = families.get("nodejs_eventloop_busy_seconds_total")?.samples ?? [];
    const processes = busy.map(({ labels }) => labels.get("worker"));
    assert.deepEqual(processes.sort(), ["0", "1", "2"]);
  }
});

test("each worker serves the admin listener, and only that has the forms of log-in", async () => {
  const { adminUrl } = await cluster.line(({ msg }) => msg === "listening");
  const admins = await openCallersOfBoth(String(adminUrl), 1);
  const page = get("/api/WebFormsAjaxEndpoint.svc?op=LogInUser");
  for (const [main, admin] of groups.map(([one], i) => [one, admins[i]?.[0]])) {
    assert.doesNotMatch((await main?.ask(page))?.body ?? assert.fail(), /<form/);
    assert.match((await admin?.ask(page))?.body ?? assert.fail(), /<form/);
  }
  for (const caller of admins.flat()) caller.close();
});

test("every metric that only several processes have is documented", async () => {
  const documented = readText("docs/nodes.md");
  const ours = [...(await readFamilies(groups[0]?.[0])).keys()].filter((name) =>
    name.startsWith("wfh_worker"),
  );
  assert.equal(ours.length, 4);
  for (const name of ours) assert.ok(documented.includes(`\`${name}\``), name);
});

test("what a worker counted is not lost when it is killed", async () => {
  process.kill(cluster.pidOf(1), "SIGKILL");
  await cluster.line(({ msg }) => msg === "a worker died");
  await cluster.line(() => cluster.log.filter(isListening).length === 3);
  const fresh = await openCallersOfBoth(cluster.url, 1);
  for (const [caller] of fresh) {
    const families = await readFamilies(caller);
    assert.equal(valueIn(families, lookUps), 30);
    assert.equal(valueIn(families, "wfh_page_request_batch_rows_sum"), 30);
    assert.equal(valueIn(families, "wfh_worker_deaths_total"), 1);
  }
  for (const caller of fresh.flat()) caller.close();
});
