import type { OverrideSource, PlaceOverride } from "../domain/location/override.ts";
import type { ReleaseSource } from "../domain/location/release.ts";
import { type LogInStore, LogInUnavailableError } from "../domain/log-in/log-in-store.ts";
import type { StoredPageRequest } from "../domain/page-requests/page-request.ts";
import type { PageRequestLog, Readiness } from "../domain/page-requests/page-request-log.ts";
import { type Around, intercept } from "../lib/intercept.ts";
import { lazily } from "../lib/lazily.ts";
import { startTimer } from "../lib/timer.ts";
import type { DatabaseApi, OpenDatabase } from "./api.ts";
import { Lease } from "./lease.ts";
import { Node, type NodeLog, type NodeOptions } from "./node.ts";
import { isMissing, openChecked, openDatabase, toStoreError } from "./open-database.ts";
import { type RowValues, toRowValues } from "./page-requests/columns.ts";
import {
  type DiskReserve,
  refuseBelowReserve,
  reserveBytesOf,
} from "./page-requests/disk-reserve.ts";
import type { FollowQueries } from "./page-requests/follow.ts";
import {
  type BatchWatcher,
  type DiskUsage,
  GroupCommit,
  type WriterClock,
} from "./page-requests/group-commit.ts";
import { listPageRequests, type PageRequestReader } from "./page-requests/reader.ts";
import { listOverrides } from "./place-overrides.ts";
import { leaseMs, Retention, type RetentionLog } from "./retention.ts";
import { StoreError, StoreUnavailableError } from "./store-error.ts";

/** Most rows of one transaction: a few milliseconds of work beside the sync. */
const batchMax = 256;

/** Longest wait for the database at start, in milliseconds: look-ups are not there meanwhile. */
const startMs = 5_000;

/** Events of a store. */
export interface StoreLog extends RetentionLog, NodeLog {
  /** The database did not exist or was empty, and has been created. */
  databaseCreated(): void;
  /** Another server has the same SQLite file open. */
  databaseShared(): void;
  /** Rows can no longer be written: page requests are refused until `writerUp`. */
  writerDown(cause: unknown): void;
  /** Rows can be written again. */
  writerUp(): void;
}

/** What a store is opened with. */
export interface StoreOptions extends NodeOptions {
  /** `sqlite:` and the path of a file, or `postgres://…`. */
  readonly url: string;
  /** Most page requests that wait to be written; one more is refused. */
  readonly queueMax: number;
  /** Age in days beyond which page requests and events of log-ins are deleted once retention is started; 0 keeps them for ever. */
  readonly retentionDays: number;
  /** How much of the disk of a SQLite file page requests leave free. */
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

/** An open database. */
export interface Store {
  readonly pageRequests: PageRequestLog;
  readonly logIn: LogInStore;
  readonly placeOverrides: OverrideSource;
  readonly releases: ReleaseSource;
  readonly reader: PageRequestReader;
  readonly retention: Retention;
  /** A lease of a name, for what only one node at a time may do. */
  lease(name: string, durationMs: number): Lease;
  /** Servers that share the database, this one included. */
  nodeCount(): number;
  /** How far the clock is ahead of that of the database server, in milliseconds; 0 where they agree within 5 seconds. */
  clockAheadMs(): number;
  /** Milliseconds since 1970 UTC, for all nodes of a database alike. */
  readonly now: () => number;
  /** Whether page requests can be written and the queue has room to spare, or why not. */
  readiness(): Readiness;
  /** The disk of a SQLite file as it was last looked at. */
  disk(): DiskUsage | undefined;
  /** Page requests that wait for a batch of theirs. */
  queuedRows(): number;
  /** Calls a watcher for each batch of page requests from now on, instead of the one before. */
  onBatch(watcher: BatchWatcher): void;
  /** Writes what waits, then ends everything. */
  close(): Promise<void>;
}

const realClock: StoreClock = {
  after: startTimer,
  random: Math.random,
  elapsed: () => performance.now(),
};

/**
 * Opens the database, creates it if necessary, and brings its schema up to date. Where that fails and waiting may help, or
 * takes longer than five seconds, the store is not ready, and opens it in the background (decisions 0044 and 0062).
 *
 * @throws {StoreError} when waiting does not help, with a message for the operator.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { url, now, log, retentionDays, clock = realClock } = options;
  const database = await openDatabase(url, "write");
  const node = new Node(options, database, clock);
  const schema = { isOpen: false };
  const openSchema = lazily(async () => {
    const isNew = await database.api.schema.migrate(now());
    if (isNew) log.databaseCreated();
    const { retention } = database.api;
    await retention.recordStart(now());
    // Without them rows are stored in the default partition, until retention runs.
    await retention
      .preparePartitions({ nowMs: now(), retentionDays, isStart: true })
      .catch(() => {});
    if (database.lockAsServer?.() === false) log.databaseShared();
    await node.join();
    schema.isOpen = true;
  });
  const { queueMax, diskReserve } = options;
  const groupCommit = new GroupCommit<RowValues>({
    writers: database.writers,
    queueMax,
    batchMax,
    diskReserve,
    clock,
    prepare: openSchema,
    down: (cause) => log.writerDown(cause),
    up: () => log.writerUp(),
  });
  const store = createStore(options, database, { groupCommit, node, schema });
  try {
    await openInTime(groupCommit, options);
  } catch (cause) {
    // Look-ups are served during an outage, and any code that the program does not know counts as one.
    if (!(cause instanceof StoreUnavailableError)) {
      await store.close();
      throw toStoreError(cause, url);
    }
  }
  return store;
}

/** Resolves when all writers are open, or have not been for so long that the server starts without them. */
async function openInTime(
  groupCommit: GroupCommit<RowValues>,
  { log, clock = realClock }: StoreOptions,
): Promise<void> {
  const opened = groupCommit.open();
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(startMs, () => {
    log.writerDown(new Error(`The database has not been opened within ${startMs / 1_000} seconds`));
    // A failure is reported as every failure of a writer.
    opened.then(() => log.writerUp()).catch(() => {});
    resolve();
  });
  await Promise.race([opened, late]).finally(cancel);
}

function createStore(
  { retentionDays, now, log, clock = realClock }: StoreOptions,
  database: OpenDatabase,
  {
    groupCommit,
    node,
    schema,
  }: {
    readonly groupCommit: GroupCommit<RowValues>;
    readonly node: Node;
    readonly schema: { readonly isOpen: boolean };
  },
): Store {
  const { api } = database;
  const lease: Store["lease"] = (name, durationMs) =>
    new Lease(api.leases, { name, durationMs }, now);
  const retention = new Retention({
    queries: api.retention,
    lease: lease("retention", leaseMs),
    days: retentionDays,
    now,
    log,
    after: clock.after,
    elapsed: clock.elapsed,
  });
  /** Refuses a call that would wait for a change of the schema, which has no limit. */
  const requireOpen: Around = async (call) => {
    if (!schema.isOpen) throw new StoreUnavailableError("The database has not been opened yet");
    return call();
  };
  const whenOpen: Around = async (call, method) => {
    try {
      return await requireOpen(call, method);
    } catch (cause) {
      // Any other error is a bug, and must not look like an outage.
      throw cause instanceof StoreError ? new LogInUnavailableError(cause) : cause;
    }
  };
  return {
    pageRequests: { append: async (pageRequest) => groupCommit.add(toRowValues(pageRequest)) },
    logIn: intercept(api.logIn, whenOpen, {}),
    placeOverrides: overrideSource(intercept(api.overrides, requireOpen, {})),
    releases: intercept(api.releases, requireOpen, {}),
    reader: intercept(api.pageRequests, (call) => call(), listing(api.pageRequests)),
    retention,
    lease,
    nodeCount: node.count,
    clockAheadMs: node.clockAheadMs,
    now: node.now,
    readiness: () => (node.isCounted() ? groupCommit.readiness : "database"),
    disk: () => groupCommit.disk,
    queuedRows: () => groupCommit.queuedRows,
    onBatch: (watcher) => groupCommit.onBatch(watcher),
    close: async () => {
      await retention.stop();
      await node.leave();
      await groupCommit.close();
      await database.close();
    },
  };
}

function listing(queries: DatabaseApi["pageRequests"]): Pick<PageRequestReader, "list"> {
  return { list: (span) => listPageRequests(queries, span) };
}

function overrideSource(queries: DatabaseApi["overrides"]): OverrideSource {
  return { readRevision: () => queries.readRevision(), list: () => listOverrides(queries) };
}

/** A database that is only read. */
export interface OpenReader extends PageRequestReader {
  readonly following: FollowQueries;
  readonly placeOverrides: OverrideSource;
  close(): Promise<void>;
}

/**
 * Opens the database for reading, beside the server that writes it or without one.
 *
 * @throws {StoreError} when it is not there or has another schema than this program knows.
 */
export async function openReader(url: string): Promise<OpenReader> {
  const database = await openChecked(url, "read", (schema) => schema.require());
  const { pageRequests, following, overrides } = database.api;
  return intercept(pageRequests, (call) => call(), {
    ...listing(pageRequests),
    following,
    placeOverrides: overrideSource(overrides),
    close: () => database.close(),
  });
}

/**
 * Overrides of places as they are; none where there is no database yet, or one of an older program. Makes and
 * changes nothing.
 *
 * @throws {StoreError} when there is a database and it cannot be read.
 */
export async function readPlaceOverrides(url: string): Promise<readonly PlaceOverride[]> {
  if (isMissing(url)) return [];
  const database = await openDatabase(url, "read");
  try {
    const { schema, overrides } = database.api;
    return (await schema.has("place-overrides")) ? await listOverrides(overrides) : [];
  } catch (cause) {
    throw toStoreError(cause, url);
  } finally {
    await database.close();
  }
}

/**
 * Opens the database for releases of the gazetteer: null where it has no table of them yet. To import, it brings the
 * schema up to date.
 *
 * @param now milliseconds since 1970 UTC.
 * @throws {StoreError} when it cannot be used.
 */
export async function openReleases(url: string, access: "import" | "read", now: () => number) {
  let hasTable = true;
  const database = await openChecked(url, access, async (schema) => {
    if (access === "import") await schema.migrate(now());
    else hasTable = await schema.has("gazetteer-releases");
  });
  return { releases: hasTable ? database.api.releases : null, close: () => database.close() };
}

/** A database that a dry run looks at. */
export interface OpenPreview
  extends Pick<DatabaseApi["administration"], "importAccounts" | "listForms"> {
  close(): Promise<void>;
}

/**
 * Opens the database for a dry run, whose imports only say what they would do. Makes and changes nothing; null where
 * there is no database yet, or nothing in it.
 *
 * @throws {StoreError} when it cannot be read, or has another schema than this program knows.
 */
export async function openPreview(url: string): Promise<OpenPreview | null> {
  const database = await openFilled(url);
  if (database === null) return null;
  const { administration } = database.api;
  return {
    importAccounts: (accounts, mode) =>
      administration.importAccounts(accounts, { ...mode, isDryRun: true }),
    listForms: () => administration.listForms(),
    close: () => database.close(),
  };
}

/** Opens a database for reading; null where it is not there or empty. */
async function openFilled(url: string): Promise<OpenDatabase | null> {
  if (isMissing(url)) return null;
  let isEmpty = false;
  const database = await openChecked(url, "read", async (schema) => {
    isEmpty = await schema.isEmpty();
    if (!isEmpty) await schema.require();
  });
  if (!isEmpty) return database;
  await database.close();
  return null;
}

/** A database whose accounts, forms and corrections of places are changed. */
export type OpenAdministration = DatabaseApi["administration"] & {
  readonly placeOverrides: OverrideSource & DatabaseApi["overrides"];
  readonly nodes: Pick<DatabaseApi["nodes"], "acceptKey" | "checkKey">;
  close(): Promise<void>;
};

/**
 * Opens the database to change accounts and forms, beside the server that uses them or without one. Creates it
 * if necessary, and brings its schema up to date.
 *
 * @param now milliseconds since 1970 UTC.
 * @throws {StoreError} when it cannot be used, with a message for the operator; later too.
 */
export async function openAdministration(
  url: string,
  now: () => number,
): Promise<OpenAdministration> {
  const database = await openChecked(url, "write", (schema) => schema.migrate(now()));
  const { administration, overrides, nodes } = database.api;
  const explained: Around = async (call) => {
    try {
      return await call();
    } catch (cause) {
      throw cause instanceof StoreError ? toStoreError(cause, url) : cause;
    }
  };
  return intercept(administration, explained, {
    placeOverrides: intercept(overrides, explained, { list: () => listOverrides(overrides) }),
    nodes: intercept(nodes, explained, {}),
    close: () => database.close(),
  });
}

/**
 * Opens the database to bring page requests in that were made elsewhere (decision 0083). `add` takes each batch as a
 * whole, leaves out what is there already, and resolves to how many were new.
 * A dry run only counts them, and makes and changes nothing.
 *
 * @throws {StoreError} when it cannot be used; `add` also {DiskReserveError}, as live page requests (decision 0045).
 */
export async function openPageRequestImport(
  options: Pick<StoreOptions, "url" | "diskReserve" | "retentionDays" | "now">,
  isDryRun: boolean,
) {
  const { url, diskReserve, retentionDays, now } = options;
  if (isDryRun) {
    const filled = await openFilled(url);
    const countAll = async (batch: readonly StoredPageRequest[]) => batch.length;
    const add = filled?.api.pageRequestImport.count ?? countAll;
    return { add, close: async () => filled?.close() };
  }
  const database = await openChecked(url, "import", (schema) => schema.migrate(now()));
  const { pageRequestImport, retention } = database.api;
  let isPrepared = false;
  const add = async (batch: readonly StoredPageRequest[]): Promise<number> => {
    // Only the disk of SQLite is ours.
    const space = await database.writers[0]?.check?.();
    if (space !== undefined) refuseBelowReserve(space, reserveBytesOf(space, diskReserve), false);
    const oldestMs = batch[0]?.arrivedAtMs;
    if (!isPrepared && oldestMs !== undefined) {
      const partitions = { nowMs: now(), oldestMs, retentionDays, isStart: true };
      // Days that are over have none yet. Without them, rows are stored in the default one.
      await retention.preparePartitions(partitions).catch(() => {});
      isPrepared = true;
    }
    return pageRequestImport.store(batch);
  };
  return { add, close: () => database.close() };
}
