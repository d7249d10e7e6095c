import assert from "node:assert/strict";
import { after, test } from "node:test";
import { installPacked, orUnreachable } from "../package/npm-project.ts";
import { blockCount, blocksLeft } from "./guide-blocks.ts";
import { Machine, missingMachines, openNetwork } from "./machine.ts";
import { oneServer } from "./one-server.ts";
import { nameIt, type Part, stepsOn, supply } from "./operator.ts";
import { twoNodes } from "./two-nodes.ts";

// Runs the operator's documents on machines of their own. systemd, sudo and apt are stand-ins.

const missing = missingMachines();
const packed = missing === undefined ? await orUnreachable(installPacked()) : undefined;
const skip = missing ?? packed?.skip ?? false;
const tarball = packed?.value?.tarball ?? "";

/** Blocks that do not run here, and why. */
const notRun: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      "Debian package, 1",
      "Install the Debian package, 1",
      "First response of the Debian package, 1",
      "Upgrade the Debian package, 1",
      "Remove the Debian package, 1",
    ].map((name) => [`docs/install.md, ${name}`, "quality/package/debian.test.ts installs it"]),
  ),
  ...Object.fromEntries(
    [
      "Install the container, 1",
      "First response of the container, 1",
      "Upgrade the container, 1",
      "Remove the container, 1",
      "Compose, 1",
      "Compose, 2",
    ].map((name) => [`docs/install.md, ${name}`, "quality/package/container.test.ts runs them"]),
  ),
  "docs/install.md, Kubernetes, 1":
    "needs a cluster; quality/house/kubernetes-example.test.ts checks the manifest",
  "docs/install.md, npm package, 1": "quality/package/npm.test.ts packs the package",
  "docs/install.md, Install from source, 1": "every test runs in such a checkout",
  "docs/install.md, Upgrade the source, 1": "needs the repository that was cloned",
  "docs/configure.md, Namespaces, 1": "needs the old server",
  "docs/configure.md, TLS certificate, 1": "needs a public name",
  "docs/postgresql.md, Prepare the primary, 1": "quality/harness/database-pair.ts runs it",
  "docs/postgresql.md, Add a standby, 1": "quality/harness/database-pair.ts runs it",
  "docs/postgresql.md, Add a standby, 2": "quality/harness/database-pair.ts runs it",
  "docs/postgresql.md, Promote the standby, 1": "quality/harness/database-pair.ts runs it",
  "docs/operating.md, Tracing, 1":
    "needs the registry of npm; quality/nodes/tracing.test.ts runs the example",
  "docs/operating.md, Completion, 1": "packages/cli/test/completion.test.ts runs the scripts",
  ...Object.fromEntries(
    ["1", "2", "3"].map((number) => [
      `docs/nodes.md, Several processes on one machine, ${number}`,
      "needs systemd, which owns the socket; quality/package/debian.test.ts runs the units",
    ]),
  ),
};

const network = skip === false ? await openNetwork() : undefined;
const machines: Machine[] = [];
after(() => {
  for (const machine of machines) machine.close();
  network?.close();
});

async function open(name: string, address: string): Promise<Machine> {
  const machine = await Machine.open(network ?? assert.fail(), name, address);
  machines.push(machine);
  supply(machine, tarball);
  return machine;
}

/** Runs parts in their order, and none after one that fails. */
function walk<At>(title: string, parts: readonly Part<At>[], prepare: () => Promise<At>): void {
  test(title, { skip, timeout: 600_000 }, async (t) => {
    const at = await prepare();
    let done = 0;
    for (const { name, run } of parts) {
      await t.test(name, { skip: done < 0 && "an earlier part failed" }, async () => {
        done = -1;
        await run(at);
        done = 1;
      });
    }
  });
}

walk("one server", oneServer, async () => {
  const machine = await open("server", "192.0.2.30");
  await nameIt(machine, "127.0.0.1");
  const asWfh = (words: string) => machine.run(`sudo wfh ${words}`);
  return { machine, step: stepsOn(machine), asWfh };
});

walk("two nodes, nginx, HAProxy and a PostgreSQL server", twoNodes, async () => {
  const proxy = await open("proxy", "192.0.2.10");
  const node1 = await open("node1", "192.0.2.11");
  const node2 = await open("node2", "192.0.2.12");
  const db1 = await open("db1", "192.0.2.20");
  for (const machine of [proxy, node1, node2]) machine.append("/etc/hosts", "192.0.2.20 db1\n");
  return { proxy, node1, node2, db1 };
});

test("every block of commands has run, or has a reason not to", { skip }, () => {
  assert.deepEqual(blocksLeft().toSorted(), Object.keys(notRun).toSorted());
  assert.ok(Object.keys(notRun).length < blockCount / 3);
});
