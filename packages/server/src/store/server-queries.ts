import type { RpcCall } from "../lib/rpc.ts";
import { ReleaseQueries } from "./gazetteer-releases.ts";
import { LeaseQueries } from "./lease.ts";
import { LogInQueries } from "./log-in/log-in-queries.ts";
import { type ConnectionFacts, NodeQueries } from "./node-queries.ts";
import type { BatchWriter } from "./page-requests/group-commit.ts";
import { OverrideQueries } from "./place-overrides.ts";
import { RetentionQueries } from "./retention.ts";
import type { Database } from "./sql.ts";

/**
 * Queries of a running server, in groups. Those of SQLite run on threads, called by name:
 * `logIn.begin`. A thread that is to have queries of operators too makes `AdminQueries` instead.
 */
export class ServerQueries {
  readonly schema: Pick<Database, "migrate">;
  readonly logIn: LogInQueries;
  readonly overrides: OverrideQueries;
  readonly releases: ReleaseQueries;
  readonly retention: RetentionQueries;
  readonly leases: LeaseQueries;
  readonly nodes: NodeQueries;

  constructor(database: Database) {
    this.schema = database;
    this.logIn = new LogInQueries(database);
    this.overrides = new OverrideQueries(database);
    this.releases = new ReleaseQueries(database);
    this.retention = new RetentionQueries(database);
    this.leases = new LeaseQueries(database);
    this.nodes = new NodeQueries(database);
  }
}

/** A database that a running server has open, of either engine. */
export interface ServerDatabase {
  /**
   * Calls a method of `ServerQueries`. Rejects with a {StoreError} where the database cannot be
   * used, a {StoreUnavailableError} where waiting may help. Others are the domain's, or bugs.
   */
  readonly call: RpcCall;
  /** The same methods. */
  readonly api: ServerQueries;
  /** Write page requests: as many as the engine has use for at the same time. */
  readonly writers: readonly BatchWriter[];
  /** Claims the database until it closes; false if another server has it. Absent if shareable. */
  readonly lockAsServer?: () => boolean;
  /** Connections to a database that several nodes share; absent where it is a file. */
  readonly connections?: () => Promise<ConnectionFacts>;
  /** Ends everything; the writers are closed by their owner before. */
  close(): Promise<void>;
}
