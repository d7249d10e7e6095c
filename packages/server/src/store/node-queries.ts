import { type Database, firstRow, statement } from "./sql.ts";
import { OtherKeyError } from "./store-error.ts";

// Nodes of one PostgreSQL database know that they share a key, and their number (decision 0064).

/** Names of leases begin with it that are heartbeats. */
export const nodePrefix = "node ";

/** Fingerprints of the keys that a node accepts, its current one first. */
export type KeyFingerprints = readonly [string, ...string[]];

const recordKey = statement<{ current: string; accepted: readonly string[]; now: number }>(`
  insert into key_fingerprint (id, fingerprint, recorded_at) values (1, :current, :now)
  on conflict (id) do update set fingerprint = excluded.fingerprint, recorded_at = excluded.recorded_at
  where key_fingerprint.fingerprint = any(:accepted)`);
const findKey = statement<object, { readonly fingerprint: string }>(
  "select fingerprint from key_fingerprint",
);
const forgetKey = statement("delete from key_fingerprint");

const countNodes = statement<object, { readonly nodes: number }>(
  `select count(*) as nodes from leases where name like '${nodePrefix}%'`,
);
/** `tooFar`: taken while the clock was ahead, as leases are (`lease.ts`). */
const forgetNodes = statement<{ now: number; tooFar: number }>(
  `delete from leases where name like '${nodePrefix}%' and (expires_at <= :now or expires_at > :tooFar)`,
);

/** Nodes that run. */
export const findNodes = statement<{ now: number }, { readonly name: string }>(
  `select name from leases where name like '${nodePrefix}%' and expires_at > :now`,
);

/** Connections to PostgreSQL. */
export interface ConnectionFacts {
  /** Most that one process opens. */
  readonly perNode: number;
  /** For everyone but superusers; null behind a pooler, which shares them out. */
  readonly available: number | null;
}

/** The key and the number of the nodes of a database. */
export class NodeQueries {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Records the current key of a node, for others to compare with.
   *
   * @throws {OtherKeyError} when another key is recorded that this node does not accept.
   */
  async requireKey(fingerprints: KeyFingerprints, nowMs: number): Promise<void> {
    if (!(await this.#record(fingerprints, nowMs))) throw new OtherKeyError();
  }

  /**
   * Compares the keys of a command with the one that is recorded, if there is one.
   *
   * @throws {OtherKeyError} when the command does not accept it.
   */
  async checkKey(fingerprints: KeyFingerprints): Promise<void> {
    const recorded = await firstRow(this.#database, findKey, {});
    if (recorded !== undefined && !fingerprints.includes(recorded.fingerprint)) {
      throw new OtherKeyError();
    }
  }

  /** Records the current key of a node instead of whatever was recorded. */
  async acceptKey(fingerprints: KeyFingerprints, nowMs: number): Promise<void> {
    await this.#database.run(forgetKey, {});
    await this.#record(fingerprints, nowMs);
  }

  /** The time by the clock of the database server, UTC in milliseconds. */
  currentTime(nowMs: number): Promise<number> {
    return this.#database.currentTime(nowMs);
  }

  /**
   * Nodes whose last heartbeat is not too long ago.
   *
   * @param leaseMs time after its last heartbeat for which a node counts, in milliseconds.
   */
  async count(nowMs: number, leaseMs: number): Promise<number> {
    const now = await this.#database.currentTime(nowMs);
    await this.#database.run(forgetNodes, { now, tooFar: now + 2 * leaseMs });
    return (await firstRow(this.#database, countNodes, {}))?.nodes ?? 0;
  }

  async #record(accepted: KeyFingerprints, now: number): Promise<boolean> {
    const [current] = accepted;
    return (await this.#database.run(recordKey, { current, accepted, now })) > 0;
  }
}
