import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { networkRateLimit } from "@wfh/server/domain/log-in/limits/rate-limits.ts";
import { endpoint } from "@wfh/server/test/server/log-in-calls.ts";
import { type LogInSite, openSite, password } from "@wfh/server/test/server/log-in-server.ts";
import { startEngines } from "@wfh/server/test/store/engines.ts";

// An office behind one address that logs in to large nodes of a PostgreSQL (decision 0064).

const [, postgres] = await startEngines();
const options = { skip: postgres.missing ?? false, timeout: 120_000 };

const nodeCount = 4;
const people = Array.from({ length: 40 }, (_, i) => `person${i}`);
const nodes: LogInSite[] = [];

before(async () => {
  if (postgres.missing !== undefined) return;
  const { url } = await postgres.createDatabase();
  for (let i = 0; i < nodeCount; i += 1) {
    nodes.push(
      await openSite({
        WFH_DATABASE_URL: url,
        WFH_TRUSTED_PROXIES: "127.0.0.1",
        // As on a machine of many cores.
        WFH_HASHES_AT_ONCE: "14",
      }),
    );
  }
  for (const name of people) await nodes[0]?.addAccount(name);
  // Until the last heartbeat of each.
  while (nodes.some(({ server }) => server.store.nodeCount() < nodeCount)) {
    await fetch(`${nodes[0]?.url}/healthz`);
  }
});
after(async () => {
  for (const node of nodes) await node.close();
});

/** Logs all in at once from one address, each on the next node; resolves to their outcomes. */
function logInAll(names: readonly string[], passWord: string, address: string) {
  return Promise.all(
    names.map(async (userName, i) => {
      const { url } = nodes[i % nodes.length] ?? assert.fail();
      // Without a time limit: so many hashes take long where the machine is busy.
      const response = await fetch(`${url}${endpoint}/LogInUser`, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Forwarded-For": address },
        body: JSON.stringify({ userName, passWord }),
      });
      const { d } = (await response.json()) as { d?: { Success: boolean; ErrorMessage: string } };
      return d?.Success === true ? "in" : (d?.ErrorMessage ?? String(response.status));
    }),
  );
}

test("forty people who log in at once over four nodes are all in", options, async () => {
  assert.deepEqual(new Set(await logInAll(people, password, "192.0.2.1")), new Set(["in"]));
});

test(
  "of forty wrong passwords at once over four nodes as many are tried as on one",
  options,
  async () => {
    const strangers = people.map((name) => `no ${name}`);
    const outcomes = Object.groupBy(
      await logInAll(strangers, "wrong", "198.51.100.1"),
      (outcome) => outcome,
    );
    const counts = Object.values(outcomes).map((all) => all?.length);
    const { windowMax } = networkRateLimit;
    assert.deepEqual(counts.toSorted(), [people.length - windowMax, windowMax].toSorted());
    // The network is held for a right password too.
    const [held] = await logInAll(people.slice(0, 1), password, "198.51.100.1");
    assert.ok(held !== "in" && outcomes[held ?? ""]?.length === people.length - windowMax);
  },
);
