import { releaseDigits } from "../domain/location/release.ts";
import type { StartTimer } from "../lib/timer.ts";
import { type KeyFingerprints, nodePrefix } from "./node-queries.ts";
import type { ServerDatabase } from "./server-queries.ts";

/** Interval between two heartbeats, in milliseconds. */
const heartbeatMs = 3_000;
/** Time after its last heartbeat for which a node counts, in milliseconds. */
export const nodeLeaseMs = 5 * heartbeatMs;
/** Largest difference that time synchronisation leaves between two clocks, in milliseconds. */
export const clockDifferenceMaxMs = 5_000;
/** Longest response that says what time it is on the database server, in milliseconds. */
const clockResponseMaxMs = 1_000;

/** Events of a node. */
export interface NodeLog {
  /** All nodes together may open more connections than the database server has. */
  connectionsShort(facts: { nodes: number; needed: number; available: number }): void;
  /** No heartbeat was committed for so long that the other nodes no longer count this one. */
  heartbeatsFailed(cause: unknown): void;
  /** The clock is so many milliseconds ahead of that of the database server, negative if behind. */
  clockDiffers(aheadMs: number): void;
}

/** Collaborators of a node. */
export interface NodeOptions {
  /** Of the secret keys, which nodes of a PostgreSQL database compare; without them they do not. */
  readonly keyFingerprints?: KeyFingerprints;
  /** SHA-256 of the postal data that is served, for `wfh doctor` to compare with other nodes. */
  readonly servedRelease?: () => string;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  readonly log: NodeLog;
}

/** Timers, and milliseconds of a clock that never jumps. */
interface NodeClock {
  readonly after: StartTimer;
  readonly elapsed: () => number;
}

/** A node among those of its database (decision 0064). A file has one server, which is alone. */
export class Node {
  readonly #options: NodeOptions;
  readonly #database: Pick<ServerDatabase, "api" | "connections">;
  readonly #clock: NodeClock;
  readonly #id = nodePrefix + crypto.randomUUID();
  /** Name of the lease that is the heartbeat: id and what is served; empty before the first. */
  #leaseName = "";
  #count = 1;
  #most = 0;
  #clockAheadMs = 0;
  #countedUntilMs: number;
  #isReported = false;
  #hasLeft = false;
  #cancel: () => void = () => {};

  constructor(
    options: NodeOptions,
    database: Pick<ServerDatabase, "api" | "connections">,
    clock: NodeClock,
  ) {
    this.#options = options;
    this.#database = database;
    this.#clock = clock;
    this.#countedUntilMs = clock.elapsed() + nodeLeaseMs;
  }

  /** Nodes at the last heartbeat, this one included. */
  readonly count = () => this.#count;

  /**
   * Milliseconds that the clock was ahead of the database server at the last heartbeat, negative
   * where it was behind. It is 0 until they differ by more than 5 seconds, and again once they
   * agree within 2.5: near the limit it would else change with each heartbeat.
   */
  readonly clockAheadMs = () => this.#clockAheadMs;

  /** Milliseconds since 1970 UTC, for all nodes alike: they limit guessing together. */
  readonly now = () => this.#options.now() - this.#clockAheadMs;

  /** False while no heartbeat was committed for as long as a node counts without one. */
  isCounted(): boolean {
    const isAlone = this.#database.connections === undefined;
    return isAlone || this.#clock.elapsed() < this.#countedUntilMs;
  }

  /** Compares the keys, and counts from now on. */
  async join(): Promise<void> {
    const { keyFingerprints, now } = this.#options;
    if (this.#database.connections === undefined) return;
    if (keyFingerprints !== undefined) {
      await this.#database.api.nodes.requireKey(keyFingerprints, now());
    }
    await this.#beat();
    this.#beatLater();
  }

  /** Tells the others; where that fails, they notice by themselves. */
  async leave(): Promise<void> {
    this.#hasLeft = true;
    this.#cancel();
    await this.#release().catch(() => {});
  }

  #beatLater(): void {
    if (this.#hasLeft) return;
    this.#cancel = this.#clock.after(heartbeatMs, () => {
      // While the database is down the last number holds.
      void this.#beat()
        .catch((cause) => this.#failed(cause))
        .then(() => this.#beatLater());
    });
  }

  async #beat(): Promise<void> {
    await this.#acquire();
    this.#countedUntilMs = this.#clock.elapsed() + nodeLeaseMs;
    this.#isReported = false;
    await this.#compareClocks();
    const count = await this.#database.api.nodes.count(this.#options.now(), nodeLeaseMs);
    this.#count = Math.max(1, count);
    if (this.#count > this.#most) await this.#countConnections();
  }

  async #acquire(): Promise<void> {
    const { servedRelease = () => "", now } = this.#options;
    const name = `${this.#id} ${servedRelease().slice(0, releaseDigits)}`;
    if (name !== this.#leaseName) await this.#release();
    this.#leaseName = name;
    const terms = { name, holder: this.#id, durationMs: nodeLeaseMs };
    await this.#database.api.leases.acquire(terms, now());
  }

  async #release(): Promise<void> {
    if (this.#leaseName === "") return;
    await this.#database.api.leases.release({ name: this.#leaseName, holder: this.#id });
  }

  async #compareClocks(): Promise<void> {
    const { now, log } = this.#options;
    const startedMs = this.#clock.elapsed();
    const askedMs = now();
    const serverMs = await this.#database.api.nodes.currentTime(askedMs);
    const tookMs = this.#clock.elapsed() - startedMs;
    if (tookMs > clockResponseMaxMs) return;
    // It is assumed to have been read halfway between the question and the response.
    const aheadMs = Math.round(askedMs + tookMs / 2) - serverMs;
    const wasEqual = this.#clockAheadMs === 0;
    const allowedMs = wasEqual ? clockDifferenceMaxMs : clockDifferenceMaxMs / 2;
    this.#clockAheadMs = Math.abs(aheadMs) > allowedMs ? aheadMs : 0;
    if (wasEqual && this.#clockAheadMs !== 0) log.clockDiffers(this.#clockAheadMs);
  }

  async #countConnections(): Promise<void> {
    this.#most = this.#count;
    const found = await this.#database.connections?.();
    if (found === undefined || found.available === null) return;
    const needed = this.#count * found.perNode;
    if (needed > found.available) {
      const facts = { nodes: this.#count, needed, available: found.available };
      this.#options.log.connectionsShort(facts);
    }
  }

  #failed(cause: unknown): void {
    if (this.isCounted() || this.#isReported) return;
    this.#isReported = true;
    this.#options.log.heartbeatsFailed(cause);
  }
}
