import assert from "node:assert/strict";
import { after, type TestContext, test } from "node:test";
import { killPrograms } from "@wfh/server/test/running-program.ts";
import { startEngines, type TestDatabase } from "@wfh/server/test/store/engines.ts";
import { missingHaproxy } from "../harness/haproxy-examples.ts";
import { Nodes } from "../harness/nodes.ts";
import { startPageLoad } from "../harness/page-load.ts";
import { type RunningProxy, startPlainHaproxy, startWebProxy } from "../harness/proxies.ts";
import { missingProxy } from "../harness/tls-proxy.ts";

// Several nodes behind nginx and HAProxy as docs/nodes.md has them, with their configurations.

after(killPrograms);

const [, postgres] = await startEngines();

/** Nodes on one PostgreSQL database behind a proxy. */
async function startNodes<Front extends RunningProxy>(
  t: TestContext,
  count: number,
  startProxy: (nodePorts: readonly number[]) => Promise<Front>,
) {
  const database = await postgres.createDatabase();
  const nodes = new Nodes({ WFH_DATABASE_URL: database.url });
  for (let i = 0; i < count; i += 1) await nodes.add();
  const front = await startProxy(nodes.ports);
  t.after(async () => {
    await nodes.endAll();
    await front.close();
    await database.drop();
  });
  return { database, nodes, front, load: startPageLoad(front.port) };
}

/** Every call was stored, and none twice. */
async function assertStored(database: TestDatabase, statuses: Readonly<Record<string, number>>) {
  assert.deepEqual(Object.keys(statuses), ["200"], JSON.stringify(statuses));
  const [row] = await database.query("SELECT count(*) AS rows FROM page_requests");
  assert.equal(Number(row?.["rows"]), statuses["200"]);
}

const options = { skip: postgres.missing ?? missingProxy, timeout: 120_000 };

const fronts = [
  { name: "nginx", start: startWebProxy, skip: options.skip },
  { name: "HAProxy", start: startPlainHaproxy, skip: postgres.missing ?? missingHaproxy },
];
for (const { name, start, skip } of fronts) {
  test(`a rolling restart of three nodes behind ${name} fails no page request`, {
    ...options,
    skip,
  }, async (t) => {
    const { database, nodes, load } = await startNodes(t, 3, start);
    await load.calls(200);
    for (const node of nodes.numbers) {
      await nodes.stop(node);
      await nodes.start(node);
      await load.calls(200);
    }
    await assertStored(database, await load.stop());
  });
}

test("adding a node and removing another fails no page request", options, async (t) => {
  const { database, nodes, front, load } = await startNodes(t, 2, startWebProxy);
  const portsOf = (...numbers: number[]) => numbers.map((node) => nodes.ports[node] ?? 0);
  await load.calls(200);
  const added = await nodes.add();
  await front.serveBy(portsOf(0, 1, added));
  await load.calls(200);
  await nodes.stop(0);
  await front.serveBy(portsOf(1, added));
  await load.calls(200);
  await assertStored(database, await load.stop());
});
