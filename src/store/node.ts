import { releaseDigits } from "../domain/location/release.ts";
import type { StartTimer } from "../lib/timer.ts";
import type { DatabaseApi, OpenDatabase } from "./api.ts";
import { Lease } from "./lease.ts";
import { type KeyFingerprints, nodePrefix } from "./node-queries.ts";

/** Interval between two heartbeats, in milliseconds. */
const heartbeatMs = 3_000;
/** Time after its last heartbeat for which a node counts, in milliseconds. */
export const leaseMs = 5 * heartbeatMs;
/** Largest difference that time synchronisation leaves between two clocks, in milliseconds. */
export const clockDifferenceMaxMs = 5_000;
/** Longest response that says what time it is on the database server, in milliseconds. */
const clockResponseMaxMs = 1_000;

/** Events of a node. */
export interface NodeLog {
  /** All nodes together may open more connections than the database server has. */
  connectionsShort(facts: { nodes: number; needed: number; available: number }): void;
  /** The database has committed no heartbeat for so long that the other nodes no longer count this one. */
  heartbeatsFailed(cause: unknown): void;
  /** The clock is ahead of that of the database server by so many milliseconds, or behind where they are negative. */
  clockDiffers(aheadMs: number): void;
}

/** What a node is made of. */
export interface NodeOptions {
  /** Of the server's secret keys, which nodes of a PostgreSQL database compare; without them nothing is compared. */
  readonly keyFingerprints?: KeyFingerprints;
  /** SHA-256 of the postal data that this node serves, which `wfh doctor` compares with that of the others. */
  readonly servedRelease?: () => string;
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
  /** Nodes at the last heartbeat, this one included. */
  readonly count: () => number;
  /** False while the database has committed no heartbeat for as long as a node counts without one. */
  readonly isCounted: () => boolean;
  /**
   * How far the clock was ahead of that of the database server at the last heartbeat, in milliseconds, negative where it
   * was behind. It is 0 until they differ by more than 5 seconds, and again once they agree within 2.5.
   */
  readonly clockAheadMs: () => number;
  /** Milliseconds since 1970 UTC, for all nodes alike: limits on guessing hold for them together. */
  readonly now: () => number;
}

/** Timers, and milliseconds of a clock that never jumps. */
interface NodeClock {
  readonly after: StartTimer;
  readonly elapsed: () => number;
}

/** What is subtracted from the clock: near the limit it would else change with each heartbeat. */
function toCorrection(aheadMs: number, before: number): number {
  const allowedMs = before === 0 ? clockDifferenceMaxMs : clockDifferenceMaxMs / 2;
  return Math.abs(aheadMs) > allowedMs ? aheadMs : 0;
}

/** Makes a node of a database. A file belongs to one server. */
export function createNode(
  options: NodeOptions,
  { api, connections }: Pick<OpenDatabase, "api" | "connections">,
  { after, elapsed }: NodeClock,
): Node {
  const { keyFingerprints, now, log } = options;
  if (connections === undefined) {
    const nothing = async () => {};
    const alone = { isCounted: () => true, clockAheadMs: () => 0, now };
    return { join: nothing, leave: nothing, count: () => 1, ...alone };
  }
  const lease = createNodeLease(options, api.leases);
  let count = 1;
  let most = 0;
  let clockAheadMs = 0;
  let countedUntilMs = elapsed() + leaseMs;
  let isReported = false;
  let hasLeft = false;
  let cancel = () => {};
  const isCounted = () => elapsed() < countedUntilMs;

  const compareClocks = async () => {
    const startedMs = elapsed();
    const askedMs = now();
    const serverMs = await api.nodes.currentTime(askedMs);
    const tookMs = elapsed() - startedMs;
    if (tookMs > clockResponseMaxMs) return;
    // It is assumed to have been read halfway between the question and the response.
    const aheadMs = Math.round(askedMs + tookMs / 2) - serverMs;
    const before = clockAheadMs;
    clockAheadMs = toCorrection(aheadMs, before);
    if (before === 0 && clockAheadMs !== 0) log.clockDiffers(clockAheadMs);
  };
  const beat = async () => {
    await lease.acquire();
    countedUntilMs = elapsed() + leaseMs;
    isReported = false;
    await compareClocks();
    count = Math.max(1, await api.nodes.count(now(), leaseMs));
    if (count <= most) return;
    most = count;
    const { perNode, available } = await connections();
    const needed = count * perNode;
    if (available !== null && needed > available) {
      log.connectionsShort({ nodes: count, needed, available });
    }
  };
  const failed = (cause: unknown) => {
    if (isCounted() || isReported) return;
    isReported = true;
    log.heartbeatsFailed(cause);
  };
  const beatLater = () => {
    if (hasLeft) return;
    // While the database is down the last number holds.
    cancel = after(heartbeatMs, () => void beat().catch(failed).then(beatLater));
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
    isCounted,
    clockAheadMs: () => clockAheadMs,
    now: () => now() - clockAheadMs,
  };
}

/** The lease of a node, whose name says what it serves. */
function createNodeLease(
  { servedRelease = () => "", now }: NodeOptions,
  leases: DatabaseApi["leases"],
): Pick<Lease, "acquire" | "release"> {
  const id = nodePrefix + crypto.randomUUID();
  const createLease = (name: string) => new Lease(leases, { name, durationMs: leaseMs }, now);
  let name = "";
  let lease = createLease(id);
  return {
    acquire: async () => {
      const current = `${id} ${servedRelease().slice(0, releaseDigits)}`;
      if (current !== name) {
        await lease.release();
        name = current;
        lease = createLease(name);
      }
      return lease.acquire();
    },
    release: () => lease.release(),
  };
}
