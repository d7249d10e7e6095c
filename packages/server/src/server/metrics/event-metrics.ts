import { type LogInAlarm, logInAlarms } from "../log.ts";
import { counter, Histogram, histogram, LabelledCounter, type Metric } from "./metric.ts";

/** Rows of one transaction; at most 256 (decision 0014). */
const batchBounds = [1, 2, 4, 8, 16, 32, 64, 128, 256];
/** Milliseconds of a transaction: a good disk syncs in less than one, a bad one in some hundred. */
const commitBoundsMs = [0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000];

const ways = ["password", "cookie"] as const;
/** Ends of log-ins; `not`: the cookie did not log in. */
const logInEnds = [
  "in",
  "refused",
  "not",
  "network-blocked",
  "forbidden",
  "busy",
  "unavailable",
  "failed",
] as const;
/** Ends of asking an old server (decision 0084). */
const legacyLogInEnds = ["accepted", "refused", "failed", "skipped"] as const;

/** Counts what happens beside requests. Nothing here throws. */
export class EventMetrics {
  readonly #now: () => number;
  readonly #commitsMs = new Histogram(commitBoundsMs);
  readonly #batchRows = new Histogram(batchBounds);
  #commitFailures = 0;
  #keyConflicts = 0;
  readonly #logIns = new LabelledCounter({ by: ways, end: logInEnds });
  readonly #legacyLogIns = new LabelledCounter({ end: legacyLogInEnds });
  readonly #alarms = new LabelledCounter({ event: logInAlarms });

  /** @param now milliseconds of a monotonic clock. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Counts a transaction of page requests that begins; returns the function that ends it. */
  readonly onBatch = (rows: number): ((isWritten: boolean, keyConflicts: number) => void) => {
    const sinceMs = this.#now();
    return (isWritten, keyConflicts) => {
      this.#keyConflicts += keyConflicts;
      if (!isWritten) {
        this.#commitFailures += 1;
        return;
      }
      this.#commitsMs.observe(this.#now() - sinceMs);
      this.#batchRows.observe(rows);
    };
  };

  readonly onLogIn = (by: (typeof ways)[number], end: (typeof logInEnds)[number]): void =>
    this.#logIns.add({ by, end });

  readonly onLegacyLogIn = (end: (typeof legacyLogInEnds)[number]): void =>
    this.#legacyLogIns.add({ end });

  readonly onAlarm = (event: LogInAlarm): void => this.#alarms.add({ event });

  /** Returns all counts as metrics. */
  metrics(): readonly Metric[] {
    return [
      histogram(
        "wfh_page_request_commit_seconds",
        "Time of transactions of page requests, sync included.",
        { unit: 1_000, list: () => [{ labels: {}, histogram: this.#commitsMs }] },
      ),
      histogram("wfh_page_request_batch_rows", "Page requests written by one transaction.", {
        unit: 1,
        list: () => [{ labels: {}, histogram: this.#batchRows }],
      }),
      counter(
        "wfh_page_request_commit_failures_total",
        "Failed transactions of page requests.",
        () => this.#commitFailures,
      ),
      counter(
        "wfh_page_request_key_conflicts_total",
        "Page requests not stored because another network has used their event key.",
        () => this.#keyConflicts,
      ),
      counter(
        "wfh_log_ins_total",
        "Log-ins by way (password or cookie) and end.",
        () => this.#logIns.samples,
      ),
      counter(
        "wfh_legacy_log_ins_total",
        "Log-ins that the old server was to verify, by end.",
        () => this.#legacyLogIns.samples,
      ),
      counter(
        "wfh_log_in_alarms_total",
        "Log-in events that an operator should look at.",
        () => this.#alarms.samples,
      ),
    ];
  }
}
