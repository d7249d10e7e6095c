import type { OverrideSource, OverrideStore, PlaceOverride } from "../domain/location/override.ts";
import type { Administration } from "../domain/log-in/accounts/administration.ts";
import type { LogInStore } from "../domain/log-in/log-in-store.ts";
import type { PageRequestLog } from "../domain/page-requests/page-request-log.ts";
import type { Readiness } from "../domain/page-requests/readiness.ts";
import { addressOf } from "./database-address.ts";
import { importAccounts } from "./log-in/account-import.ts";
import { createAdministration } from "./log-in/administration.ts";
import { listForms } from "./log-in/forms.ts";
import { createLogInStore } from "./log-in/log-in-store.ts";
import { hasSchema, migrate, requireSchema } from "./migrate.ts";
import type { Connections, Dialect } from "./migrations/dialect.ts";
import { type RowValues, toRowValues } from "./page-requests/columns.ts";
import type { DiskReserve } from "./page-requests/disk-reserve.ts";
import { type BatchWatcher, type DiskUsage, GroupCommit } from "./page-requests/group-commit.ts";
import { createPageRequestReader, type PageRequestReader } from "./page-requests/reader.ts";
import type { WriterClock } from "./page-requests/writer-connection.ts";
import { createOverrideSource, createOverrideStore } from "./place-overrides.ts";
import { postgres } from "./postgres/postgres.ts";
import { createRetention, type Retention } from "./retention.ts";
import { sqlite } from "./sqlite/sqlite.ts";
import { StoreError, StoreUnavailableError } from "./store-error.ts";
import type { StoreLog } from "./store-log.ts";

/** Most rows of one transaction: a few milliseconds of work beside the sync. */
const batchMax = 256;

/** Longest wait for the database at start, in milliseconds: look-ups are not there meanwhile. */
const startMs = 5_000;

/** What a store is opened with. */
export interface StoreOptions {
  /** `sqlite:` and the path of a file, or `postgres://…`. */
  readonly url: string;
  /** Most page requests that wait to be written; one more is refused. */
  readonly queueMax: number;
  /** False where another process, the supervisor, holds the lock by which servers notice that they share a SQLite file. */
  readonly takesServerLock?: boolean;
  /** Age in days beyond which page requests and events of log-ins are deleted once retention is started; 0 keeps them for ever. */
  readonly retentionDays: number;
  /** How much of the disk of a SQLite file page requests leave free. */
  readonly diskReserve: DiskReserve;
  readonly log: StoreLog;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
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
  /** Takes the row of a page request that another process has made; as `pageRequests.append`. */
  addRow(row: RowValues): Promise<void>;
  readonly logIn: LogInStore;
  readonly placeOverrides: OverrideSource;
  readonly reader: PageRequestReader;
  readonly retention: Retention;
  /** True when page requests can be written and the queue has room to spare. */
  isReady(): boolean;
  /** Why it is not ready. */
  readiness(): Readiness;
  /** The disk of a SQLite file as it was last looked at. */
  disk(): DiskUsage | undefined;
  /** Page requests that wait for a batch of theirs. */
  queuedRows(): number;
  /** Has a watcher told of batches of page requests from now on, in place of the one before. */
  onBatch(watcher: BatchWatcher): void;
  /** Writes what waits, then ends everything. */
  close(): Promise<void>;
}

const realClock: StoreClock = {
  after: (delayMs, run) => {
    const timer = setTimeout(run, delayMs);
    // Nothing that is merely due keeps the process alive.
    timer.unref();
    return () => clearTimeout(timer);
  },
  random: Math.random,
  elapsed: () => performance.now(),
};

/**
 * Opens the database, makes it when there is none, and brings its schema up to date. Where it is not available, or that
 * takes longer than five seconds, the store is not ready, and opens it in the background (decision 0044).
 *
 * @throws {StoreError} when waiting does not mend it, with a message for the operator.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { url, now, log } = options;
  const dialect = dialectOf(url);
  const connections = dialect.connect(url, "write");
  const schema = untilDone(async () => {
    const isNew = await connections.changeSchema((database) => migrate(database, dialect, now));
    if (isNew) log.databaseCreated();
    if (options.takesServerLock !== false && connections.lockAsServer?.() === false)
      log.databaseShared();
  });
  const watching: Watching = { watcher: () => () => {} };
  const groupCommit = createGroupCommit(options, connections, { watching, prepare: schema.run });
  const store = createStore(options, connections, {
    groupCommit,
    watching,
    isOpen: schema.isDone,
    dialect,
  });
  try {
    await openInTime(groupCommit, options);
  } catch (cause) {
    const error = toStoreError(cause, dialect, url);
    if (!(error instanceof StoreUnavailableError)) {
      await store.close();
      throw error;
    }
  }
  return store;
}

/** Who is told of batches. */
interface Watching {
  watcher: BatchWatcher;
}

/** Runs something until it has succeeded once. Those who ask for it meanwhile share a run. */
function untilDone(run: () => Promise<void>) {
  let running: Promise<void> | undefined;
  let isDone = false;
  const runOnce = async () => {
    try {
      await run();
      isDone = true;
    } catch (cause) {
      running = undefined;
      throw cause;
    }
  };
  return {
    isDone: () => isDone,
    run: () => {
      running ??= runOnce();
      return running;
    },
  };
}

/** Resolves when all writers are open, or have not been for so long that the server starts without them. */
async function openInTime(
  groupCommit: GroupCommit<RowValues>,
  { log, clock = realClock }: StoreOptions,
): Promise<void> {
  const opened = groupCommit.open();
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const callOff = clock.after(startMs, () => {
    log.writerDown(new Error(`The database has not been opened within ${startMs / 1_000} seconds`));
    // A failure is reported as every failure of a writer.
    opened.then(() => log.writerUp()).catch(() => {});
    resolve();
  });
  await Promise.race([opened, late]).finally(callOff);
}

function toStoreError(cause: unknown, dialect: Dialect, url: string): StoreError {
  if (cause instanceof StoreError) return cause;
  const message = `The database ${addressOf(url).shown} cannot be used: ${reasonOf(cause)}`;
  return dialect.isPassing(cause)
    ? new StoreUnavailableError(message, cause)
    : new StoreError(message, cause);
}

/** An error over several addresses of one name has only a code. */
function reasonOf(cause: unknown): string {
  const { message, code } = cause as { message?: string; code?: string };
  return message || code || String(cause);
}

function createGroupCommit(
  { queueMax, diskReserve, log, clock }: StoreOptions,
  { writers }: Connections,
  { watching, prepare }: { watching: Watching; prepare: () => Promise<void> },
) {
  return new GroupCommit<RowValues>({
    writers,
    queueMax,
    batchMax,
    diskReserve,
    clock: clock ?? realClock,
    prepare,
    defer: setImmediate,
    down: (cause) => log.writerDown(cause),
    up: () => log.writerUp(),
    watch: (rows) => watching.watcher(rows),
  });
}

function createStore(
  { retentionDays, now, log, clock = realClock }: StoreOptions,
  connections: Connections,
  parts: {
    groupCommit: GroupCommit<RowValues>;
    watching: Watching;
    isOpen: () => boolean;
    dialect: Dialect;
  },
): Store {
  const { groupCommit, watching, isOpen, dialect } = parts;
  const retention = createRetention({
    database: connections.writing,
    currentTime: () => dialect.currentTime(now),
    days: retentionDays,
    now,
    after: clock.after,
    elapsed: clock.elapsed,
    log,
  });
  return {
    pageRequests: { append: async (pageRequest) => groupCommit.add(toRowValues(pageRequest)) },
    addRow: (row) => groupCommit.add(row),
    logIn: createLogInStore(connections, isOpen),
    placeOverrides: createOverrideSource(connections.reading),
    reader: createPageRequestReader(connections.reading),
    retention,
    isReady: () => groupCommit.isReady,
    readiness: () => groupCommit.readiness,
    disk: () => groupCommit.disk,
    queuedRows: () => groupCommit.queuedRows,
    onBatch: (watcher) => {
      watching.watcher = watcher;
    },
    close: async () => {
      await retention.stop();
      await groupCommit.close();
      await connections.close();
    },
  };
}

/** A database that is only read. */
export interface OpenReader extends PageRequestReader {
  readonly placeOverrides: OverrideSource;
  close(): Promise<void>;
}

/**
 * Opens the database for reading, beside the server that writes it or without one.
 *
 * @throws {StoreError} when it is not there or has another schema than this program knows.
 */
export async function openReader(url: string): Promise<OpenReader> {
  const dialect = dialectOf(url);
  const connections = dialect.connect(url, "read");
  try {
    await requireSchema(connections.reading, dialect);
  } catch (cause) {
    await connections.close();
    throw toStoreError(cause, dialect, url);
  }
  return {
    ...createPageRequestReader(connections.reading),
    placeOverrides: createOverrideSource(connections.reading),
    close: () => connections.close(),
  };
}

/**
 * Overrides of places as they are; none where there is no database yet, or one of an older program. Makes and
 * changes nothing.
 *
 * @throws {StoreError} when there is a database and it cannot be read.
 */
export async function readPlaceOverrides(url: string): Promise<readonly PlaceOverride[]> {
  const dialect = dialectOf(url);
  if (dialect.isMissing(url)) return [];
  const connections = dialect.connect(url, "read");
  try {
    const { reading } = connections;
    const isThere = await hasSchema(reading, dialect, "place-overrides");
    return isThere ? await createOverrideSource(reading).list() : [];
  } catch (cause) {
    throw toStoreError(cause, dialect, url);
  } finally {
    await connections.close();
  }
}

/** A database that a dry run looks at. */
export interface OpenPreview extends Pick<Administration, "importAccounts" | "listForms"> {
  close(): Promise<void>;
}

/**
 * Opens the database for a dry run, whose imports only say what they would do. Makes and changes nothing; null where
 * there is no database yet, or nothing in it.
 *
 * @throws {StoreError} when it cannot be read, or has another schema than this program knows.
 */
export async function openPreview(url: string): Promise<OpenPreview | null> {
  const dialect = dialectOf(url);
  if (dialect.isMissing(url)) return null;
  const connections = dialect.connect(url, "read");
  const { reading } = connections;
  try {
    if (await dialect.hasTable(reading, "schema_migrations")) {
      await requireSchema(reading, dialect);
      return {
        importAccounts: (accounts, mode) =>
          importAccounts(reading, accounts, { ...mode, isDryRun: true }),
        listForms: () => listForms(reading),
        close: () => connections.close(),
      };
    }
  } catch (cause) {
    await connections.close();
    throw toStoreError(cause, dialect, url);
  }
  await connections.close();
  return null;
}

/** A database whose accounts, forms and corrections of places are changed. */
export interface OpenAdministration extends Administration {
  readonly placeOverrides: OverrideStore;
  close(): Promise<void>;
}

/**
 * Opens the database to change accounts and forms, beside the server that uses them or without one. Makes it
 * when there is none, and brings its schema up to date.
 *
 * @param now milliseconds since 1970 UTC.
 * @throws {StoreError} when it cannot be used, with a message for the operator; later too.
 */
export async function openAdministration(
  url: string,
  now: () => number,
): Promise<OpenAdministration> {
  const dialect = dialectOf(url);
  const connections = dialect.connect(url, "write");
  try {
    await connections.changeSchema((database) => migrate(database, dialect, now));
  } catch (cause) {
    await connections.close();
    throw toStoreError(cause, dialect, url);
  }
  return {
    ...createAdministration(connections, dialect, now),
    placeOverrides: createOverrideStore(connections, dialect),
    close: () => connections.close(),
  };
}

function dialectOf(url: string): Dialect {
  if (url.startsWith("sqlite:")) return sqlite;
  if (/^postgres(?:ql)?:\/\//.test(url)) return postgres;
  throw new StoreError("A database address begins with sqlite: or postgres://");
}
