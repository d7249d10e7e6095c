import type { StartTimer } from "../lib/timer.ts";
import type { OpenDatabase } from "./api.ts";
import { Lease } from "./lease.ts";
import { type KeyFingerprints, nodePrefix } from "./node-queries.ts";

/** Interval between two heartbeats, in milliseconds. */
const heartbeatMs = 3_000;
/** Time after its last heartbeat for which a node counts, in milliseconds. */
export const leaseMs = 5 * heartbeatMs;

/** Events of a node. */
export interface NodeLog {
  /** All nodes together may open more connections than the database server has. */
  connectionsShort(facts: { nodes: number; needed: number; available: number }): void;
}

/** What a node is made of. */
export interface NodeOptions {
  /** Workers of one supervisor, which holds the server lock of a SQLite file for them; they share the connections to PostgreSQL. */
  readonly workers?: number;
  /** Of the server's secret keys, which nodes of a PostgreSQL database compare; without them nothing is compared. */
  readonly keyFingerprints?: KeyFingerprints;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  readonly log: NodeLog;
}

/** A node among those of its database (decision 0064). */
export interface Node {
  /** Compares the keys, and counts from now on. */
  join(): Promise<void>;
  /** Tells the others; where that fails, they notice by themselves. */
  leave(): Promise<void>;
  /** Nodes at the last heartbeat, this one included; each worker is one. */
  readonly count: () => number;
}

/** Makes a node of a database. A file belongs to one server, which knows its workers. */
export function createNode(
  options: NodeOptions,
  { api, connections }: Pick<OpenDatabase, "api" | "connections">,
  after: StartTimer,
): Node {
  const { workers = 1, keyFingerprints, now, log } = options;
  if (connections === undefined) {
    return { join: async () => {}, leave: async () => {}, count: () => workers };
  }
  const name = nodePrefix + crypto.randomUUID();
  const lease = new Lease(api.leases, { name, durationMs: leaseMs }, now);
  let count = 1;
  let most = 0;
  let hasLeft = false;
  let cancel = () => {};

  const beat = async () => {
    await lease.acquire();
    count = Math.max(1, await api.nodes.count(now(), leaseMs));
    if (count <= most) return;
    most = count;
    const { perProcess, available } = await connections();
    const needed = count * perProcess;
    if (available !== null && needed > available) {
      log.connectionsShort({ nodes: count, needed, available });
    }
  };
  const beatLater = () => {
    if (hasLeft) return;
    // While the database is down the last number holds.
    cancel = after(
      heartbeatMs,
      () =>
        void beat()
          .catch(() => {})
          .then(beatLater),
    );
  };
  return {
    join: async () => {
      if (keyFingerprints !== undefined) await api.nodes.requireKey(keyFingerprints, now());
      await beat();
      beatLater();
    },
    leave: async () => {
      hasLeft = true;
      cancel();
      await lease.release().catch(() => {});
    },
    count: () => count,
  };
}
