import { Gauge, type Registry } from "prom-client";
import { registerGauge } from "./metric-reading.ts";

/** How much there is to do for log-ins. */
export interface LogInLoad {
  /** Log-ins with a password that are being verified or wait for it. */
  logInsUnderWay(): number;
  hashes(): { readonly running: number; readonly waiting: number };
}

/** What is asked for its state with each reading. */
export interface StateParts extends LogInLoad {
  /** Whether the server wants requests, as /readyz says. */
  isReady(): boolean;
  isDraining(): boolean;
  /** Page requests that wait for a transaction of theirs. */
  queuedPageRequests(): number;
  readonly pageRequestQueueMax: number;
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

type NamedReading = readonly [name: string, help: string, read: () => number];

/** Registers what is read when it is asked for. */
export function registerStateMetrics(registry: Registry, parts: StateParts): void {
  const readings: readonly NamedReading[] = [
    ...serverReadings(parts),
    ...workReadings(parts),
    ...postalReadings(parts),
  ];
  for (const [name, help, read] of readings) registerGauge(registry, name, { help, read });
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

function serverReadings(parts: StateParts): readonly NamedReading[] {
  return [
    [
      "wfh_ready",
      "1 while page requests can be stored and the queue has room to spare, as /readyz says; else 0.",
      () => Number(parts.isReady()),
    ],
    ["wfh_draining", "1 once the server is going down.", () => Number(parts.isDraining())],
  ];
}

function workReadings(parts: StateParts): readonly NamedReading[] {
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
    ],
    [
      "wfh_log_ins_under_way",
      "Log-ins with a password that are being verified or wait for it.",
      () => parts.logInsUnderWay(),
    ],
  ];
}

function postalReadings({ postalData, placeOverrides, now }: StateParts): readonly NamedReading[] {
  return [
    [
      "wfh_gazetteer_age_days",
      "Age of the youngest postal data, in days.",
      () => Math.max(0, (now() - Date.parse(postalData().dataDate)) / dayMs),
    ],
    ["wfh_gazetteer_postal_codes", "Postal codes.", () => postalData().postalCodeCount],
    [
      "wfh_gazetteer_countries",
      "Countries that have postal codes.",
      () => Object.keys(postalData().postalCodesByCountry).length,
    ],
    [
      "wfh_place_overrides",
      "Overrides of single postal codes by operators, as last read from the database.",
      () => placeOverrides(),
    ],
  ];
}
