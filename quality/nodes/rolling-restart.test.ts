import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, type TestContext, test } from "node:test";
import { freePort } from "../../test/free-port.ts";
import {
  endServerProcess,
  killServerProcesses,
  type ServerProcess,
  startServerProcess,
} from "../../test/server-process.ts";
import { startEngines } from "../../test/store/engines.ts";
import { haproxyPlain, missingHaproxy, startHaproxy } from "../harness/haproxy-examples.ts";
import { startNginx } from "../harness/nginx.ts";
import { nodesBlock } from "../harness/nginx-examples.ts";
import { startPageLoad } from "../harness/page-load.ts";
import { missingProxy } from "../harness/tls-proxy.ts";

// Several nodes behind nginx and HAProxy as docs/nodes.md has them, with their configurations.

after(killServerProcesses);

const engines = await startEngines();
after(() => Promise.all(engines.map((engine) => engine.close())));
const postgres = engines.find(({ name }) => name === "PostgreSQL") ?? assert.fail();

type Serve = (port: number, nodePorts: readonly number[], folder: string) => Promise<Front>;
/** A proxy in front of nodes. */
interface Front {
  /** Changes the nodes. */
  serveBy(nodePorts: readonly number[]): Promise<void>;
  stop(): Promise<void>;
}

const byNginx: Serve = async (port, nodePorts, folder) => {
  const nginx = await startNginx(folder, nodesBlock(port, nodePorts));
  return { serveBy: (ports) => nginx.reload(nodesBlock(port, ports)), stop: nginx.stop };
};

const byHaproxy: Serve = async (port, nodePorts, folder) => {
  const { stop } = await startHaproxy(folder, haproxyPlain(port, nodePorts), port);
  return { serveBy: async () => assert.fail("its nodes stay"), stop };
};

/** Nodes on one PostgreSQL database behind a proxy. */
async function startNodes(t: TestContext, count: number, serve = byNginx) {
  const database = await postgres.createDatabase();
  const folder = mkdtempSync(join(tmpdir(), "wfh-nodes-"));
  const startNode = (port: number) =>
    startServerProcess({
      ...{ WFH_PORT: String(port), WFH_DATABASE_URL: database.url },
      WFH_DRAIN_MS: "1000",
    });
  const ports = await Promise.all(Array.from({ length: count }, freePort));
  const nodes = new Map<number, ServerProcess>();
  for (const port of ports) nodes.set(port, await startNode(port));
  const port = await freePort();
  const front = await serve(port, ports, folder);
  t.after(async () => {
    for (const node of nodes.values()) await endServerProcess(node);
    await front.stop();
    rmSync(folder, { recursive: true });
    await database.drop();
  });
  return {
    database,
    port,
    nodes,
    start: async (node: number) => {
      nodes.set(node, await startNode(node));
    },
    stop: async (node: number) => {
      const ending = nodes.get(node) ?? assert.fail();
      nodes.delete(node);
      ending.signal("SIGTERM");
      assert.equal(await ending.ended(), 0);
    },
    serveBy: front.serveBy,
  };
}

/** Every call was stored, and none twice. */
async function assertStored(
  { database }: Awaited<ReturnType<typeof startNodes>>,
  statuses: Readonly<Record<string, number>>,
) {
  assert.deepEqual(Object.keys(statuses), ["200"], JSON.stringify(statuses));
  const [row] = await database.query("SELECT count(*) AS rows FROM page_requests");
  assert.equal(Number(row?.["rows"]), statuses["200"]);
}

const options = { skip: postgres.missing ?? missingProxy, timeout: 120_000 };

const fronts = [
  { name: "nginx", serve: byNginx, skip: options.skip },
  { name: "HAProxy", serve: byHaproxy, skip: postgres.missing ?? missingHaproxy },
];
for (const { name, serve, skip } of fronts) {
  test(`a rolling restart of three nodes behind ${name} fails no page request`, {
    ...options,
    skip,
  }, async (t) => {
    const nodes = await startNodes(t, 3, serve);
    const load = startPageLoad(nodes.port);
    await load.calls(200);
    for (const node of [...nodes.nodes.keys()]) {
      await nodes.stop(node);
      await nodes.start(node);
      await load.calls(200);
    }
    await assertStored(nodes, await load.stop());
  });
}

test("adding a node and removing another fails no page request", options, async (t) => {
  const nodes = await startNodes(t, 2);
  const [first = 0, second = 0] = nodes.nodes.keys();
  const load = startPageLoad(nodes.port);
  await load.calls(200);
  const added = await freePort();
  await nodes.start(added);
  await nodes.serveBy([first, second, added]);
  await load.calls(200);
  await nodes.stop(first);
  await nodes.serveBy([second, added]);
  await load.calls(200);
  await assertStored(nodes, await load.stop());
});
