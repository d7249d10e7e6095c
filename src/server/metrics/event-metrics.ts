import { Counter, Histogram, type Registry } from "prom-client";
import { type LogInAlarm, logInAlarms } from "../log-in/log-in-log.ts";

/** Rows of one transaction; at most 256 (decision 0014). */
const batchBounds = [1, 2, 4, 8, 16, 32, 64, 128, 256];
/** Seconds that a transaction takes: a good disk syncs in less than one millisecond, a bad one in some hundred. */
const commitBounds = [
  ...[0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05],
  ...[0.1, 0.25, 0.5, 1, 2.5, 5, 10],
];

const ways = ["password", "cookie"] as const;
/** How log-ins end: by their outcome (`not` is what a cookie did not do), or by what kept them from being decided. */
const logInEnds = [
  ...(["in", "refused", "not", "network-held", "forbidden"] as const),
  ...(["busy", "unavailable", "failed"] as const),
];
/** Takes what happens beside requests, as it happens. Nothing here throws. */
export interface EventMetrics {
  /** Told when a transaction of page requests begins, by its rows; returns who is told when it ends. */
  onBatch(rows: number): (isWritten: boolean) => void;
  onLogIn(by: (typeof ways)[number], end: (typeof logInEnds)[number]): void;
  onAlarm(name: LogInAlarm): void;
}

/** @param elapsed milliseconds of a clock that never jumps. */
export function registerEventMetrics(registry: Registry, elapsed: () => number): EventMetrics {
  const registers = [registry];
  return {
    ...registerBatches(registry, elapsed),
    onLogIn: countersOf(
      new Counter({
        name: "wfh_log_ins_total",
        help: "Log-ins by way and end: in, refused (wrong name or password), not (no session by that cookie), network-held, forbidden (origin), busy, unavailable (database), failed (bug).",
        labelNames: ["by", "end"],
        registers,
      }),
    ),
    onAlarm: alarmsOf(
      new Counter({
        name: "wfh_log_in_alarms_total",
        help: "Events of log-ins to look at: a stolen cookie was used (token-reused), an account or a network is held after too many failures.",
        labelNames: ["event"],
        registers,
      }),
    ),
  };
}

function registerBatches(registry: Registry, elapsed: () => number): Pick<EventMetrics, "onBatch"> {
  const registers = [registry];
  const seconds = new Histogram({
    name: "wfh_page_request_commit_seconds",
    help: "Time that transactions of page requests took until they were on disk.",
    buckets: commitBounds,
    registers,
  });
  const rows = new Histogram({
    name: "wfh_page_request_batch_rows",
    help: "Page requests that one transaction wrote.",
    buckets: batchBounds,
    registers,
  });
  const failures = new Counter({
    name: "wfh_page_request_commit_failures_total",
    help: "Transactions of page requests that failed: the disk is full or broken, or the database is down.",
    registers,
  });
  return {
    onBatch: (count) => {
      const sinceMs = elapsed();
      return (isWritten) => {
        if (!isWritten) {
          failures.inc();
          return;
        }
        seconds.observe((elapsed() - sinceMs) / 1_000);
        rows.observe(count);
      };
    },
  };
}

/** Binds the labels before anything happens, so that every line is there from the start: what begins at 1 has no rate. */
function countersOf(counter: Counter<"by" | "end">): EventMetrics["onLogIn"] {
  const bound = new Map(
    ways.map((by) => [by, new Map(logInEnds.map((end) => [end, counter.labels(by, end)]))]),
  );
  for (const ends of bound.values()) for (const end of ends.values()) end.inc(0);
  return (by, end) => bound.get(by)?.get(end)?.inc();
}

function alarmsOf(counter: Counter<"event">): EventMetrics["onAlarm"] {
  const bound = new Map(logInAlarms.map((name) => [name, counter.labels(name)]));
  for (const alarm of bound.values()) alarm.inc(0);
  return (name) => bound.get(name)?.inc();
}
