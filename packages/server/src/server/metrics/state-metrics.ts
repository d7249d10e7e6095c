import { OpenStreams } from "../http/response-stream.ts";
import type { Config } from "../settings/settings.ts";
import { byLabel, counter, gauge, type Metric } from "./metric.ts";

/** Who reads the requests of a connection (decision 0039). */
export type Reader = "direct" | "node_http";

/** Why bytes were not a request. */
type BadRequestReason = "malformed" | "too_large" | "late" | "gone";

/** Our own error code: too many requests of a connection wait for their responses. */
export const tooManyWaiting = "TOO_MANY_WAITING";

const reasons: Readonly<Record<string, BadRequestReason>> = {
  HPE_HEADER_OVERFLOW: "too_large",
  [tooManyWaiting]: "too_large",
  ERR_HTTP_REQUEST_TIMEOUT: "late",
  ECONNRESET: "gone",
  EPIPE: "gone",
};

/** Counts what happens at the connections of a server, for the metrics. */
export class ConnectionTracker {
  readonly read: Record<Reader, number> = { direct: 0, node_http: 0 };
  /** Inputs that were not a request. */
  readonly bad: Record<BadRequestReason, number> = { malformed: 0, too_large: 0, late: 0, gone: 0 };
  /** Connections closed at once, because WFH_CONNECTIONS_MAX were open. */
  dropped = 0;
  bugs = 0;
  readonly streams = new OpenStreams();
  /** True once the server is shutting down: /readyz then responds with 503. */
  isDraining = false;
  /** True once no connection is accepted: each is closed after its next response. */
  endsConnections = false;
  /** Counts open connections; set when the server listens. */
  countConnections: () => Promise<Readonly<Record<Reader, number>>> = () =>
    Promise.resolve({ direct: 0, node_http: 0 });

  /** Begins to let callers go elsewhere. */
  startDraining(): void {
    this.isDraining = true;
    this.streams.stop();
  }

  /** Counts input that was not a request, by the code of Node's error. */
  countBad(code: string): void {
    this.bad[reasons[code] ?? "malformed"] += 1;
  }
}

/** Parts of the server whose state is read at each scrape. */
export interface ServerState {
  readonly config: Pick<Config, "connectionsMax" | "pageRequestQueueMax">;
  readonly tracker: Readonly<ConnectionTracker>;
  readonly logInLoad: {
    /** Log-ins with a password that are being verified or wait for it. */
    logInsUnderWay(): number;
    hashes(): { readonly running: number; readonly waiting: number };
  };
  readonly store: {
    /** Page requests that wait for their transaction. */
    queuedRows(): number;
    /** Servers that share the database, this one included. */
    nodeCount(): number;
    /** Lead of the clock over that of the database server, in milliseconds; 0 within 5 seconds. */
    clockAheadMs(): number;
    /** The disk of a SQLite database, in bytes; undefined with PostgreSQL. */
    disk(): { readonly freeBytes: number; readonly reserveBytes: number } | undefined;
    readonly retention: { facts(): RetentionStats };
  };
  readonly gazetteer: {
    readonly facts: {
      /** `YYYY-MM-DD`. */
      readonly dataDate: string;
      readonly postalCodeCount: number;
      readonly postalCodesByCountry: Readonly<Record<string, number>>;
    };
    /** Identity of the postal data; undefined where nothing replaces it. */
    readonly release?: { readonly sha256: string; readonly refusedCount: number } | undefined;
  };
  readonly overrides: { readonly index: ReadonlyMap<string, readonly unknown[]> };
  /** `ready`, as /readyz says, or one word for the reason why not. */
  readiness(): string;
}

/** Work of the deletion of old page requests since the process began. */
interface RetentionStats {
  readonly deletedRows: number;
  readonly failures: number;
  /** End of the last run without an error, else the start of the process, in ms since 1970 UTC. */
  readonly succeededAtMs: number;
  /** Lead of the clock when the last run did not trust it, in milliseconds; else 0. */
  readonly clockAheadMs: number;
}

const dayMs = 86_400_000;

/** Metrics of the state of the server; `docs/operating.md` says what to do about each. */
export function stateMetrics(state: ServerState): readonly Metric[] {
  const { tracker, logInLoad, overrides, readiness } = state;
  return [
    gauge("wfh_ready", "1 while /readyz responds with 200.", () => Number(readiness() === "ready")),
    gauge("wfh_draining", "1 while stopping.", () => Number(tracker.isDraining)),
    ...connectionMetrics(state),
    ...storeMetrics(state),
    gauge("wfh_log_ins_under_way", "Log-ins with a password.", logInLoad.logInsUnderWay),
    gauge("wfh_password_hashes", "Password hashes by state.", () =>
      byLabel("state", logInLoad.hashes()),
    ),
    ...gazetteerMetrics(state),
    gauge(
      "wfh_place_overrides",
      "Overrides of single postal codes.",
      () => [...overrides.index.values()].flat().length,
    ),
  ];
}

/** Digits of a checksum that are shown: `sha256sum` of a file begins with them. */
const releaseDigits = 12;

function gazetteerMetrics({ gazetteer }: ServerState): readonly Metric[] {
  const readInfo = () => {
    const { facts, release } = gazetteer;
    if (release === undefined) return [];
    const shown = release.sha256.slice(0, releaseDigits);
    return [{ labels: { release: shown, data_date: facts.dataDate }, value: 1 }];
  };
  return [
    gauge(
      "wfh_gazetteer_info",
      "1, with the release of postal data that is served and its date.",
      readInfo,
    ),
    counter(
      "wfh_gazetteer_refused_total",
      "Releases of postal data that could not be used.",
      () => gazetteer.release?.refusedCount ?? 0,
    ),
    gauge("wfh_gazetteer_age_days", "Age of the youngest postal data.", () =>
      Math.max(0, (Date.now() - Date.parse(gazetteer.facts.dataDate)) / dayMs),
    ),
    gauge("wfh_gazetteer_postal_codes", "Postal codes.", () => gazetteer.facts.postalCodeCount),
    gauge(
      "wfh_gazetteer_countries",
      "Countries that have postal codes.",
      () => Object.keys(gazetteer.facts.postalCodesByCountry).length,
    ),
  ];
}

function connectionMetrics({ tracker, config }: ServerState): readonly Metric[] {
  return [
    counter(
      "wfh_requests_read_total",
      "Requests by reader: direct where they arrive in up to three pieces, else node_http.",
      () => byLabel("reader", tracker.read),
    ),
    counter(
      "wfh_bad_requests_total",
      "Input that is not a request: malformed, too_large, late, or the caller was gone.",
      () => byLabel("reason", tracker.bad),
    ),
    counter("wfh_bugs_total", "Errors outside of a call; see the log.", () => tracker.bugs),
    counter(
      "wfh_connections_dropped_total",
      "Connections closed at once because WFH_CONNECTIONS_MAX were open.",
      () => tracker.dropped,
    ),
    gauge("wfh_connections", "Open connections by the reader of their requests.", async () =>
      byLabel("reader", await tracker.countConnections()),
    ),
    gauge("wfh_streams", "Open streams, such as live views.", () => tracker.streams.count),
    gauge("wfh_connections_max", "WFH_CONNECTIONS_MAX.", () => config.connectionsMax),
  ];
}

function storeMetrics({ config, store }: ServerState): readonly Metric[] {
  const { retention } = store;
  const readDisk = () => {
    const disk = store.disk();
    return disk ? byLabel("space", { free: disk.freeBytes, reserved: disk.reserveBytes }) : [];
  };
  return [
    gauge("wfh_page_requests_queued", "Page requests that wait to be written.", () =>
      store.queuedRows(),
    ),
    gauge("wfh_nodes", "Servers that share the database, this one included.", () =>
      store.nodeCount(),
    ),
    gauge(
      "wfh_clock_ahead_seconds",
      "How far the clock is ahead of that of the database server, if by more than 5 s; else 0.",
      () => store.clockAheadMs() / 1_000,
    ),
    gauge(
      "wfh_page_requests_queue_max",
      "WFH_PAGE_REQUEST_QUEUE_MAX.",
      () => config.pageRequestQueueMax,
    ),
    gauge("wfh_disk_bytes", "Disk of a SQLite database: free, and reserved.", readDisk),
    counter(
      "wfh_retention_deleted_rows_total",
      "Page requests deleted because of their age.",
      () => retention.facts().deletedRows,
    ),
    counter(
      "wfh_retention_failures_total",
      "Failed runs of the deletion of old rows.",
      () => retention.facts().failures,
    ),
    gauge(
      "wfh_retention_success_timestamp_seconds",
      "Last run of the deletion without an error, else the start; seconds since 1970 UTC.",
      () => retention.facts().succeededAtMs / 1_000,
    ),
    gauge(
      "wfh_retention_clock_ahead_seconds",
      "How far the clock was ahead when the last run did not trust it; else 0.",
      () => retention.facts().clockAheadMs / 1_000,
    ),
  ];
}
