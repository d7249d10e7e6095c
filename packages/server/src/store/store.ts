import type { OverrideSource } from "../domain/location/override.ts";
import type { PageRequestLog, Readiness } from "../domain/page-requests/page-request-log.ts";
import { lazily } from "../lib/lazily.ts";
import { type RpcCall, remote } from "../lib/rpc.ts";
import { startTimer } from "../lib/timer.ts";
import type { ReleaseQueries } from "./gazetteer-releases.ts";
import { Lease } from "./lease.ts";
import type { LogInQueries } from "./log-in/log-in-queries.ts";
import { Node, type NodeLog, type NodeOptions } from "./node.ts";
import { databaseAddressOf, toStoreError } from "./open-database.ts";
import { type RowValues, toRowValues } from "./page-requests/columns.ts";
import type { DiskReserve } from "./page-requests/disk-reserve.ts";
import {
  type BatchWatcher,
  type DiskUsage,
  GroupCommit,
  type WriterClock,
} from "./page-requests/group-commit.ts";
import { listOverrides } from "./place-overrides.ts";
import { Retention, type RetentionLog, retentionLeaseMs } from "./retention.ts";
import type { ServerDatabase, ServerQueries } from "./server-queries.ts";
import { OtherKeyError, OtherServerError, StoreUnavailableError } from "./store-error.ts";

/** Most rows of one transaction: a few milliseconds of work beside the sync. */
const batchMax = 256;

/** Longest wait for the database at start, in milliseconds: look-ups are not there meanwhile. */
const startMs = 5_000;

/** Events of a store. */
export interface StoreLog extends RetentionLog, NodeLog {
  /** The database did not exist or was empty, and has been created. */
  databaseCreated(): void;
  /** Rows can no longer be written: page requests are refused until `writerUp`. */
  writerDown(cause: unknown): void;
  /** Rows can be written again. */
  writerUp(): void;
}

/** Options of a store. */
export interface StoreOptions extends NodeOptions {
  /** `sqlite:` and the path of a file, or `postgres://…`. */
  readonly url: string;
  /** File or setting of the secret keys, for the operator. */
  readonly keyOrigin?: string;
  /** Most page requests that wait to be written; one more is refused. */
  readonly queueMax: number;
  /** Days after which retention, once started, deletes page requests and events; 0 for never. */
  readonly retentionDays: number;
  /** Part of the disk of a SQLite file that page requests leave free. */
  readonly diskReserve: DiskReserve;
  readonly log: StoreLog;
  /** Timers, monotonic time and chance; tests put their own in their place. */
  readonly clock?: StoreClock;
}

/** Time and chance, as far as the store needs them. */
interface StoreClock extends WriterClock {
  /** Milliseconds of a clock that never jumps. */
  readonly elapsed: () => number;
}

const realClock: StoreClock = {
  after: startTimer,
  random: Math.random,
  elapsed: () => performance.now(),
};

/** Runs a query of this name, for example within a span of a trace. */
export type QueryTracer = <Result>(name: string, query: () => Promise<Result>) => Promise<Result>;

/** The database of a running server. */
export class Store {
  readonly pageRequests: PageRequestLog = {
    append: (pageRequest) =>
      this.#trace("pageRequests.append", async () =>
        this.#groupCommit.add(toRowValues(pageRequest)),
      ),
  };
  readonly logIn: LogInQueries;
  readonly placeOverrides: OverrideSource;
  readonly releases: ReleaseQueries;
  readonly retention: Retention;
  /** Milliseconds since 1970 UTC, for all nodes of a database alike. */
  readonly now: () => number;
  /**
   * Resolves once the database is open, made if necessary, with its schema up to date. If that
   * fails and waiting may help, or takes over five seconds, it opens in the background (decisions
   * 0044 and 0062). Rejects with a {StoreError} for the operator when waiting does not help.
   */
  readonly opened: Promise<void>;
  readonly #options: StoreOptions;
  readonly #database: ServerDatabase;
  readonly #node: Node;
  readonly #groupCommit: GroupCommit<RowValues>;
  #isSchemaOpen = false;
  #trace: QueryTracer = (_name, query) => query();

  constructor(options: StoreOptions, database: ServerDatabase) {
    const { queueMax, diskReserve, retentionDays: days, now, log, clock = realClock } = options;
    this.#options = options;
    this.#database = database;
    this.#node = new Node(options, database, clock);
    this.now = this.#node.now;
    const { logIn, overrides, releases } = remote<ServerQueries>(this.#callOpen);
    this.logIn = logIn;
    this.releases = releases;
    this.placeOverrides = {
      readRevision: () => overrides.readRevision(),
      list: () => listOverrides(overrides),
    };
    this.retention = new Retention({
      queries: database.api.retention,
      lease: this.lease("retention", retentionLeaseMs),
      days,
      now,
      log,
      after: clock.after,
      elapsed: clock.elapsed,
    });
    this.#groupCommit = new GroupCommit<RowValues>({
      writers: database.writers,
      queueMax,
      batchMax,
      diskReserve,
      clock,
      prepare: lazily(() => this.#openSchema()),
      down: (cause) => log.writerDown(cause),
      up: () => log.writerUp(),
    });
    this.opened = this.#open();
  }

  /** A lease of a name, for what only one node at a time may do. */
  lease(name: string, durationMs: number): Lease {
    return new Lease(this.#database.api.leases, { name, durationMs }, this.#options.now);
  }

  /** Servers that share the database, this one included. */
  nodeCount(): number {
    return this.#node.count();
  }

  /** Lead of the clock over the database server's, in milliseconds; 0 if within 5 seconds. */
  clockAheadMs(): number {
    return this.#node.clockAheadMs();
  }

  /** Ready while page requests can be written and the queue has room, or why not. */
  readiness(): Readiness {
    return this.#node.isCounted() ? this.#groupCommit.readiness : "database";
  }

  /** The disk of a SQLite file as it was last looked at. */
  disk(): DiskUsage | undefined {
    return this.#groupCommit.disk;
  }

  /** Page requests that wait for a batch of theirs. */
  queuedRows(): number {
    return this.#groupCommit.queuedRows;
  }

  /** Calls a watcher for each batch of page requests from now on, instead of the one before. */
  onBatch(watcher: BatchWatcher): void {
    this.#groupCommit.onBatch(watcher);
  }

  /** Traces page requests and queries of log-ins, places and releases from now on. */
  traceQueries(trace: QueryTracer): void {
    this.#trace = trace;
  }

  /** Writes what waits, then ends everything. */
  async close(): Promise<void> {
    await this.retention.stop();
    await this.#node.leave();
    await this.#groupCommit.close();
    await this.#database.close();
  }

  /** Calls a query, but refuses one that would wait for a schema change, which has no limit. */
  readonly #callOpen: RpcCall = async (method, args) => {
    if (!this.#isSchemaOpen) {
      throw new StoreUnavailableError("The database has not been opened yet");
    }
    return this.#trace(method, () => this.#database.call(method, args));
  };

  async #open(): Promise<void> {
    const { url, keyOrigin } = this.#options;
    try {
      await this.#openInTime();
    } catch (cause) {
      // Look-ups are served during an outage; any code that the program does not know is one.
      if (cause instanceof StoreUnavailableError) return;
      await this.close();
      const isOther = cause instanceof OtherKeyError && keyOrigin !== undefined;
      throw isOther
        ? new OtherKeyError(`\nIt has the key of ${keyOrigin}`)
        : toStoreError(cause, url);
    }
  }

  async #openSchema(): Promise<void> {
    const { api, lockAsServer } = this.#database;
    const { url, now, log, retentionDays } = this.#options;
    const isNew = await api.schema.migrate(now());
    if (isNew) log.databaseCreated();
    await api.retention.recordStart(now());
    // Without them rows are stored in the default partition, until retention runs.
    await api.retention
      .preparePartitions({ nowMs: now(), retentionDays, isStart: true })
      .catch(() => {});
    if (lockAsServer?.() === false) throw new OtherServerError(databaseAddressOf(url).shown);
    await this.#node.join();
    this.#isSchemaOpen = true;
  }

  /** Resolves when all writers are open, or so late that the server starts without them. */
  async #openInTime(): Promise<void> {
    const { log, clock = realClock } = this.#options;
    const opened = this.#groupCommit.open();
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const cancel = clock.after(startMs, () => {
      log.writerDown(
        new Error(`The database has not been opened within ${startMs / 1_000} seconds`),
      );
      // A failure is reported as every failure of a writer.
      opened.then(() => log.writerUp()).catch(() => {});
      resolve();
    });
    await Promise.race([opened, late]).finally(cancel);
  }
}
