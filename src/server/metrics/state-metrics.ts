import { byLabel, counter, gauge, type Metric } from "./metric.ts";

/** Who reads the requests of a connection (decision 0039). */
export type Reader = "direct" | "node_http";

/** Why bytes were not a request. */
type BadRequestReason = "malformed" | "too_large" | "late" | "gone";

/** Our own error code, beside those of Node.js: too many requests of a connection wait for their responses. */
export const tooManyWaiting = "TOO_MANY_WAITING";

const reasons: Readonly<Record<string, BadRequestReason>> = {
  HPE_HEADER_OVERFLOW: "too_large",
  [tooManyWaiting]: "too_large",
  ERR_HTTP_REQUEST_TIMEOUT: "late",
  ECONNRESET: "gone",
  EPIPE: "gone",
};

/** What happened at the connections of a server; the metrics read it. */
export class ConnectionTracker {
  readonly read: Record<Reader, number> = { direct: 0, node_http: 0 };
  /** Inputs that were not a request. */
  readonly bad: Record<BadRequestReason, number> = { malformed: 0, too_large: 0, late: 0, gone: 0 };
  /** Connections closed at once, because WFH_CONNECTIONS_MAX were open. */
  dropped = 0;
  bugs = 0;
  /** True once the server is shutting down: /readyz then responds with 503. */
  isDraining = false;
  /** True once no connection is accepted any more: each is then closed after its next response, which says so. */
  endsConnections = false;
  /** Counts open connections; set when the server listens. */
  countConnections: () => Promise<Readonly<Record<Reader, number>>> = () =>
    Promise.resolve({ direct: 0, node_http: 0 });

  /** Counts input that was not a request, by the code of Node's error. */
  countBad(code: string): void {
    this.bad[reasons[code] ?? "malformed"] += 1;
  }
}

/** How much there is to do for log-ins. */
export interface LogInLoad {
  /** Log-ins with a password that are being verified or wait for it. */
  logInsUnderWay(): number;
  hashes(): { readonly running: number; readonly waiting: number };
}

/** What the deletion of old page requests has done since the process began. */
interface RetentionStats {
  readonly deletedRows: number;
  readonly failures: number;
  /** End of the last run without an error, or the start of the process; milliseconds since 1970 UTC. */
  readonly succeededAtMs: number;
  /** How far the clock was ahead when the last run did not trust it, in milliseconds; else 0. */
  readonly clockAheadMs: number;
}

/** What is read at each scrape. */
export interface StateMetricsDeps extends LogInLoad {
  readonly connectionsMax: number;
  readonly pageRequestQueueMax: number;
  /** Whether the server wants requests, as /readyz says. */
  isReady(): boolean;
  /** Page requests that wait for their transaction. */
  queuedRows(): number;
  /** Servers that share the database, this one included. */
  nodes(): number;
  /** How far the clock is ahead of that of the database server, in milliseconds; 0 where they agree within 5 seconds. */
  clockAheadMs(): number;
  retention(): RetentionStats;
  /** The disk of a SQLite database, in bytes; undefined with PostgreSQL. */
  disk(): { readonly freeBytes: number; readonly reserveBytes: number } | undefined;
  postalData(): {
    /** `YYYY-MM-DD`. */
    readonly dataDate: string;
    readonly postalCodeCount: number;
    readonly postalCodesByCountry: Readonly<Record<string, number>>;
  };
  /** What tells the postal data from any other; undefined where nothing replaces it. */
  release(): { readonly sha256: string; readonly refusedCount: number } | undefined;
  placeOverrides(): number;
  /** Milliseconds since 1970 UTC. */
  now(): number;
}

const dayMs = 86_400_000;

/** Metrics of connections, database, log-ins and postal data. `docs/operating.md` says what to do about each. */
export function stateMetrics(
  connections: Readonly<ConnectionTracker>,
  deps: StateMetricsDeps,
): readonly Metric[] {
  const { hashes } = deps;
  return [
    gauge("wfh_ready", "1 while /readyz responds with 200.", () => Number(deps.isReady())),
    gauge("wfh_draining", "1 while stopping.", () => Number(connections.isDraining)),
    ...connectionMetrics(connections, deps),
    ...storeMetrics(deps),
    gauge("wfh_log_ins_under_way", "Log-ins with a password.", deps.logInsUnderWay),
    gauge("wfh_password_hashes", "Password hashes by state.", () => byLabel("state", hashes())),
    ...gazetteerMetrics(deps),
    gauge("wfh_place_overrides", "Overrides of single postal codes.", deps.placeOverrides),
  ];
}

/** Digits of a checksum that are shown: `sha256sum` of a file begins with them. */
const releaseDigits = 12;

function gazetteerMetrics({ postalData, release, now }: StateMetricsDeps): readonly Metric[] {
  const readInfo = () => {
    const served = release();
    if (served === undefined) return [];
    const shown = served.sha256.slice(0, releaseDigits);
    return [{ labels: { release: shown, data_date: postalData().dataDate }, value: 1 }];
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
      () => release()?.refusedCount ?? 0,
    ),
    gauge("wfh_gazetteer_age_days", "Age of the youngest postal data.", () =>
      Math.max(0, (now() - Date.parse(postalData().dataDate)) / dayMs),
    ),
    gauge("wfh_gazetteer_postal_codes", "Postal codes.", () => postalData().postalCodeCount),
    gauge(
      "wfh_gazetteer_countries",
      "Countries that have postal codes.",
      () => Object.keys(postalData().postalCodesByCountry).length,
    ),
  ];
}

function connectionMetrics(
  connections: Readonly<ConnectionTracker>,
  { connectionsMax }: StateMetricsDeps,
): readonly Metric[] {
  const { read, bad } = connections;
  return [
    counter(
      "wfh_requests_read_total",
      "Requests by reader: direct where they arrive in up to three pieces, else node_http.",
      () => byLabel("reader", read),
    ),
    counter(
      "wfh_bad_requests_total",
      "Input that is not a request: malformed, too_large, late, or the caller was gone.",
      () => byLabel("reason", bad),
    ),
    counter("wfh_bugs_total", "Errors outside of a call; see the log.", () => connections.bugs),
    counter(
      "wfh_connections_dropped_total",
      "Connections closed at once because WFH_CONNECTIONS_MAX were open.",
      () => connections.dropped,
    ),
    gauge("wfh_connections", "Open connections by the reader of their requests.", async () =>
      byLabel("reader", await connections.countConnections()),
    ),
    gauge("wfh_connections_max", "WFH_CONNECTIONS_MAX.", () => connectionsMax),
  ];
}

function storeMetrics({ retention, ...deps }: StateMetricsDeps): readonly Metric[] {
  const readDisk = () => {
    const disk = deps.disk();
    return disk ? byLabel("space", { free: disk.freeBytes, reserved: disk.reserveBytes }) : [];
  };
  const queueMax = () => deps.pageRequestQueueMax;
  return [
    gauge("wfh_page_requests_queued", "Page requests that wait to be written.", deps.queuedRows),
    gauge("wfh_nodes", "Servers that share the database, this one included.", deps.nodes),
    gauge(
      "wfh_clock_ahead_seconds",
      "How far the clock is ahead of that of the database server, if by more than 5 s; else 0.",
      () => deps.clockAheadMs() / 1_000,
    ),
    gauge("wfh_page_requests_queue_max", "WFH_PAGE_REQUEST_QUEUE_MAX.", queueMax),
    gauge("wfh_disk_bytes", "Disk of a SQLite database: free, and reserved.", readDisk),
    counter(
      "wfh_retention_deleted_rows_total",
      "Page requests deleted because of their age.",
      () => retention().deletedRows,
    ),
    counter(
      "wfh_retention_failures_total",
      "Failed runs of the deletion of old rows.",
      () => retention().failures,
    ),
    gauge(
      "wfh_retention_success_timestamp_seconds",
      "Last run of the deletion without an error, else the start; seconds since 1970 UTC.",
      () => retention().succeededAtMs / 1_000,
    ),
    gauge(
      "wfh_retention_clock_ahead_seconds",
      "How far the clock was ahead when the last run did not trust it; else 0.",
      () => retention().clockAheadMs / 1_000,
    ),
  ];
}
