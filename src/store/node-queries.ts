import { type Database, firstRow, statement } from "./sql.ts";
import { OtherKeyError } from "./store-error.ts";

// Nodes of one PostgreSQL database know that they have the same key, and how many they are
// (decision 0064).

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
export function createNodeQueries(database: Database) {
  const record = async (fingerprints: KeyFingerprints, nowMs: number) => {
    const [current] = fingerprints;
    const given = { current, accepted: fingerprints, now: nowMs };
    return (await database.run(recordKey, given)) > 0;
  };
  return {
    /**
     * Records the current key of a node, for others to compare with.
     *
     * @throws {OtherKeyError} when another key is recorded that this node does not accept.
     */
    requireKey: async (fingerprints: KeyFingerprints, nowMs: number) => {
      if (!(await record(fingerprints, nowMs))) throw new OtherKeyError();
    },
    /**
     * Compares the keys of a command with the one that is recorded, if there is one.
     *
     * @throws {OtherKeyError} when the command does not accept it.
     */
    checkKey: async (fingerprints: KeyFingerprints) => {
      const recorded = await firstRow(database, findKey, {});
      if (recorded !== undefined && !fingerprints.includes(recorded.fingerprint)) {
        throw new OtherKeyError();
      }
    },
    /** Records the current key of a node instead of whatever was recorded. */
    acceptKey: async (fingerprints: KeyFingerprints, nowMs: number) => {
      await database.run(forgetKey, {});
      await record(fingerprints, nowMs);
    },
    /** The time by the clock of the database server, UTC in milliseconds. */
    currentTime: (nowMs: number) => database.currentTime(nowMs),
    /**
     * Nodes whose last heartbeat is not too long ago.
     *
     * @param leaseMs time after its last heartbeat for which a node counts, in milliseconds.
     */
    count: async (nowMs: number, leaseMs: number) => {
      const now = await database.currentTime(nowMs);
      await database.run(forgetNodes, { now, tooFar: now + 2 * leaseMs });
      return (await firstRow(database, countNodes, {}))?.nodes ?? 0;
    },
  };
}
