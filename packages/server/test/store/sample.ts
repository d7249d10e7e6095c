import type { StoredPageRequest } from "../../src/domain/page-requests/page-request.ts";
import { type AdminDatabase, openAdmin } from "../../src/store/admin/open-admin.ts";
import type { NumberedPageRequest } from "../../src/store/admin/page-request-reader.ts";
import { openServerDatabase } from "../../src/store/open-database.ts";
import type { WriterClock } from "../../src/store/page-requests/group-commit.ts";
import { Store, type StoreOptions } from "../../src/store/store.ts";

/** When the page requests of tests arrive: 2026-11-21T10:00:00Z, in milliseconds. */
export const arrivalMs = 1_795_255_200_000;

/** A page request that says nothing, apart from what is given. */
export function pageRequest(given: Partial<StoredPageRequest> = {}): StoredPageRequest {
  return {
    formId: null,
    transId: null,
    pageUrl: null,
    applicationInstanceId: null,
    isAuthenticated: null,
    contactId: null,
    screenWidth: null,
    screenHeight: null,
    browserUserAgentId: null,
    crossAppSessionId: null,
    sessionDate: null,
    conversionHitId: null,
    overrideRequestMethodId: null,
    eventKey: null,
    referrer: null,
    kind: null,
    step: null,
    requestId: "r-1",
    arrivedAtMs: arrivalMs,
    network: null,
    userAgent: null,
    finding: null,
    ...given,
  };
}

/** A page request with something in every field, some of it at the edge of what there is. */
export const fullPageRequest = pageRequest({
  formId: 9_007_199_254_740_993n,
  transId: -9_223_372_036_854_775_808n,
  pageUrl: 'https://forms.example.org/a?b=%7e&c="\\{},NULL;\r\n\t😀é',
  applicationInstanceId: 2_147_483_647,
  isAuthenticated: false,
  contactId: 9_223_372_036_854_775_807n,
  screenWidth: -2_147_483_648,
  screenHeight: 0,
  browserUserAgentId: -1n,
  crossAppSessionId: 0n,
  sessionDate: { text: "2026-11-21T10:00:00.1234567+01:00", instantMs: 1_795_251_600_123 },
  conversionHitId: 1n,
  overrideRequestMethodId: -1,
  eventKey: "0d9f6a52-6c1e",
  referrer: "https://forms.example.org/",
  kind: "view",
  step: "2 of 3",
  requestId: "r-full",
  network: "2001:db8:1::/48",
  userAgent: "",
  finding: {
    sessionId: 9_223_372_036_854_775_807n,
    contactId: -9_223_372_036_854_775_808n,
    isLoggedIn: true,
  },
});

/** A clock whose timers run when the test says so. */
export class ManualClock implements WriterClock {
  readonly #due: (() => void)[] = [];
  #elapsed = 1;
  #scheduled: () => void = () => {};

  /** Monotonic time, in milliseconds. */
  elapsedMs = 0;
  readonly elapsed = () => this.elapsedMs;
  readonly random = () => 0.5;
  readonly after = (_delayMs: number, run: () => void) => {
    this.#due.push(run);
    this.#scheduled();
    return () => {
      const index = this.#due.indexOf(run);
      if (index >= 0) this.#due.splice(index, 1);
    };
  };

  /** Lets the time of everything that waits come. */
  elapse(): void {
    this.#elapsed = Math.max(1, this.#due.length);
    for (const run of this.#due.splice(0)) run();
  }

  /** Resolves once as much waits for its time as when that last came, and something at least. */
  async scheduled(): Promise<void> {
    while (this.#due.length < this.#elapsed) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#scheduled = resolve;
      await promise;
    }
  }
}

/** A store with what it says of itself, one word each. */
export interface ReportingStore {
  readonly store: Store;
  readonly reported: readonly string[];
  /** Reports of the opening. */
  readonly warned: readonly string[];
  /** Resolves when the store has come back after a failure. */
  readonly up: Promise<void>;
}

/**
 * Opens a store whose log the test can read. Several may have one database, as nodes do.
 *
 * @param isServer true for a store that claims a SQLite file, as a server does.
 */
export async function openTestStore(
  url: string,
  options: Partial<StoreOptions> = {},
  isServer = false,
): Promise<ReportingStore> {
  const reported: string[] = [];
  const warned: string[] = [];
  const { promise: up, resolve } = Promise.withResolvers<void>();
  const { lockAsServer, ...database } = await openServerDatabase(url);
  const storeOptions: StoreOptions = {
    url,
    queueMax: 10_000,
    retentionDays: 0,
    diskReserve: 0,
    now: () => arrivalMs,
    log: {
      databaseCreated: () => warned.push("created"),
      writerDown: () => reported.push("down"),
      writerUp: () => {
        reported.push("up");
        resolve();
      },
      retentionDone: (deletedRows) => reported.push(`deleted ${deletedRows}`),
      retentionClockAhead: (aheadMs) => reported.push(`clock ahead ${aheadMs}`),
      connectionsShort: () => reported.push("connections short"),
      heartbeatsFailed: () => reported.push("heartbeats failed"),
      // Tests have a time of their own.
      clockDiffers: () => {},
      retentionFailed: () => reported.push("retention failed"),
      partitionsFailed: () => reported.push("partitions failed"),
    },
    ...options,
  };
  const store = new Store(storeOptions, {
    ...database,
    ...(isServer && lockAsServer && { lockAsServer }),
  });
  await store.opened;
  return { store, reported, warned, up };
}

/** Opens a database for an operator, and creates it if necessary. */
export function openOffice(url: string, nowMs = arrivalMs): Promise<AdminDatabase> {
  return openAdmin(url, "write", () => nowMs);
}

/** All page requests of a database in the order of their arrival. */
export async function listStored(url: string): Promise<readonly NumberedPageRequest[]> {
  const database = await openAdmin(url, "read");
  try {
    return await Array.fromAsync(database.pageRequests.list({ fromMs: null, toMs: null }));
  } finally {
    await database.close();
  }
}
