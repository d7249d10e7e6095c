import { type Aggregator, Gauge, type Registry } from "prom-client";
import { registerCounter, registerGauge } from "./metric-reading.ts";

/** How much there is to do for log-ins. */
export interface LogInLoad {
  /** Log-ins with a password that are being verified or wait for it. */
  logInsUnderWay(): number;
  hashes(): { readonly running: number; readonly waiting: number };
}

/** What the deletion of old page requests has done since the process began. */
export interface RetentionStats {
  readonly deletedRows: number;
  readonly failures: number;
  /** End of the last run that met no error, or the begin of the process; milliseconds since 1970 UTC. */
  readonly succeededAtMs: number;
  /** How far the clock was ahead when the last run did not trust it, in milliseconds; else 0. */
  readonly clockAheadMs: number;
}

/** Work that waits. */
export interface WorkMetricsDeps extends LogInLoad {
  /** Undefined where another process deletes. */
  readonly retention: (() => RetentionStats) | undefined;
  /** The disk of the database, in bytes; undefined where another process has it, or another machine. */
  readonly disk:
    | (() => { readonly freeBytes: number; readonly reserveBytes: number } | undefined)
    | undefined;
  /** Page requests that wait for a transaction of theirs. */
  queuedPageRequests(): number;
  readonly pageRequestQueueMax: number;
}

/** What is asked for its state with each reading. */
export interface StateMetricsDeps extends WorkMetricsDeps {
  /** Whether the server wants requests, as /readyz says. */
  isReady(): boolean;
  isDraining(): boolean;
  /** What the postal data say of themselves. */
  postalData(): {
    /** `YYYY-MM-DD`. */
    readonly dataDate: string;
    readonly postalCodeCount: number;
    readonly postalCodesByCountry: Readonly<Record<string, number>>;
  };
  placeOverrides(): number;
  /** Milliseconds since 1970 UTC. */
  now(): number;
}

const dayMs = 86_400_000;

type NamedReading = readonly [
  name: string,
  help: string,
  read: () => number,
  aggregator?: Aggregator,
];

/** Registers what is read when it is asked for. */
export function registerStateMetrics(registry: Registry, parts: StateMetricsDeps): void {
  registerReadings(registry, [...serverReadings(parts), ...postalReadings(parts)]);
  registerWorkMetrics(registry, parts);
}

/** Registers how much work waits, and what the deletion of old rows has done. */
export function registerWorkMetrics(registry: Registry, parts: WorkMetricsDeps): void {
  registerReadings(registry, workReadings(parts));
  if (parts.retention !== undefined) registerRetention(registry, parts.retention);
  if (parts.disk !== undefined) registerDisk(registry, parts.disk);
  new Gauge({
    name: "wfh_password_hashes",
    help: "Password hashes that run, and that wait for one of those to end.",
    labelNames: ["state"],
    registers: [registry],
    collect() {
      for (const [state, count] of Object.entries(parts.hashes())) this.set({ state }, count);
    },
  });
}

function registerDisk(registry: Registry, disk: NonNullable<WorkMetricsDeps["disk"]>): void {
  new Gauge({
    name: "wfh_disk_bytes",
    help: "Space on the disk of a SQLite database that is free, and that WFH_DISK_RESERVE_MB reserves: with less free, page requests are refused.",
    labelNames: ["space"],
    registers: [registry],
    collect() {
      const { freeBytes, reserveBytes } = disk() ?? {};
      if (freeBytes !== undefined) this.set({ space: "free" }, freeBytes);
      if (reserveBytes !== undefined) this.set({ space: "reserved" }, reserveBytes);
    },
  });
}

function registerRetention(registry: Registry, facts: () => RetentionStats): void {
  registerCounter(registry, "wfh_retention_deleted_rows_total", {
    help: "Page requests that were deleted because they were older than WFH_PAGE_REQUEST_RETENTION.",
    read: () => facts().deletedRows,
  });
  registerCounter(registry, "wfh_retention_failures_total", {
    help: "Runs of the deletion of old rows that failed; there is one every hour.",
    read: () => facts().failures,
  });
  registerGauge(registry, "wfh_retention_success_timestamp_seconds", {
    help: "When old rows were last deleted, or looked for, without an error, in seconds since 1970 UTC; before the first run, when the server started.",
    aggregator: "max",
    read: () => facts().succeededAtMs / 1_000,
  });
  registerGauge(registry, "wfh_retention_clock_ahead_seconds", {
    help: "How far the clock was ahead when the last deletion of old rows did not trust it, in seconds; else 0.",
    aggregator: "max",
    read: () => facts().clockAheadMs / 1_000,
  });
}

function registerReadings(registry: Registry, readings: readonly NamedReading[]): void {
  for (const [name, help, read, aggregator = "sum"] of readings) {
    registerGauge(registry, name, { help, read, aggregator });
  }
}

function serverReadings(parts: StateMetricsDeps): readonly NamedReading[] {
  return [
    [
      "wfh_ready",
      "1 while page requests can be stored and the queue has room to spare, as /readyz says; else 0.",
      () => Number(parts.isReady()),
      "min",
    ],
    ["wfh_draining", "1 once the server is going down.", () => Number(parts.isDraining()), "max"],
  ];
}

function workReadings(parts: WorkMetricsDeps): readonly NamedReading[] {
  return [
    [
      "wfh_page_requests_queued",
      "Page requests that wait for a transaction of theirs.",
      () => parts.queuedPageRequests(),
    ],
    [
      "wfh_page_requests_queue_max",
      "WFH_PAGE_REQUEST_QUEUE_MAX: one more is refused.",
      () => parts.pageRequestQueueMax,
      "max",
    ],
    [
      "wfh_log_ins_under_way",
      "Log-ins with a password that are being verified or wait for it.",
      () => parts.logInsUnderWay(),
    ],
  ];
}

function postalReadings({
  postalData,
  placeOverrides,
  now,
}: StateMetricsDeps): readonly NamedReading[] {
  return [
    [
      "wfh_gazetteer_age_days",
      "Age of the youngest postal data, in days.",
      () => Math.max(0, (now() - Date.parse(postalData().dataDate)) / dayMs),
      "max",
    ],
    ["wfh_gazetteer_postal_codes", "Postal codes.", () => postalData().postalCodeCount, "max"],
    [
      "wfh_gazetteer_countries",
      "Countries that have postal codes.",
      () => Object.keys(postalData().postalCodesByCountry).length,
      "max",
    ],
    [
      "wfh_place_overrides",
      "Overrides of single postal codes by operators, as last read from the database.",
      () => placeOverrides(),
      "max",
    ],
  ];
}
