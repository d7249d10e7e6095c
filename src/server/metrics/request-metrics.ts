import { Counter, Gauge, type Histogram, type Registry } from "prom-client";
import type { ConnectionTracker } from "../http/connection-tracker.ts";
import { registerCounter } from "./metric-reading.ts";
import { type CountedCalls, durationBucketsMs, type RequestMeter } from "./request-meter.ts";

/** Registers what a meter counts of requests. All label values are the contract's and our own. */
export function registerRequestMetrics(registry: Registry, meter: RequestMeter): void {
  const registers = [registry];
  new Counter({
    name: "wfh_requests_total",
    help: "Calls of operations by outcome: ok, caller_fault, server_fault, or refused because there is too much to do. The operation is unknown where a call was refused before it could be read.",
    labelNames: ["service", "operation", "binding", "outcome"],
    registers,
    collect() {
      this.reset();
      for (const { service, operation, binding, counter } of meter.calls) {
        for (const [outcome, count] of Object.entries(counter.counts)) {
          this.inc({ service, operation, binding, outcome }, count);
        }
      }
    },
  });
  new Counter({
    name: "wfh_other_requests_total",
    help: "Requests that are no calls: pages, documents such as WSDL, routes such as log-out, and what was only answered (nothing there, wrong method, preflights), by class of status.",
    labelNames: ["kind", "status"],
    registers,
    collect() {
      this.reset();
      for (const { kind, status, count } of meter.others) this.inc({ kind, status }, count);
    },
  });
  registerCallTimes(registry, meter);
}

/**
 * Registers the times of calls, as the meter has counted them. A histogram of the package looks up its labels at each
 * observation, which costs a tenth of what a look-up does (decision 0040); of what it registers it asks no more than this.
 */
function registerCallTimes(registry: Registry, meter: RequestMeter): void {
  const metric = {
    name: "wfh_request_duration_seconds",
    help: "Time from the head of a call to its answer, as far as this process knows; that of a page request includes the sync.",
    type: "histogram",
    aggregator: "sum",
  };
  const get = () =>
    Promise.resolve({
      ...metric,
      values: meter.calls.flatMap((calls) => timesOf(metric.name, calls)),
    });
  registry.registerMetric({ ...metric, get } as unknown as Histogram);
}

/** Lines of the times of an operation over a binding; none before its first call. */
function timesOf(name: string, { service, operation, binding, counter }: CountedCalls) {
  const labels = { service, operation, binding };
  const lines: { labels: object; value: number; metricName: string }[] = [];
  let count = 0;
  for (const [i, calls] of counter.buckets.entries()) {
    const boundMs = durationBucketsMs[i];
    count += calls;
    const le = boundMs === undefined ? "+Inf" : String(boundMs / 1_000);
    lines.push({ labels: { ...labels, le }, value: count, metricName: `${name}_bucket` });
  }
  lines.push({ labels, value: counter.sumMs / 1_000, metricName: `${name}_sum` });
  lines.push({ labels, value: count, metricName: `${name}_count` });
  return count === 0 ? [] : lines;
}

/** Registers what happens at the connections of a server. */
export function registerTrafficMetrics(
  registry: Registry,
  traffic: Readonly<ConnectionTracker>,
  connectionsMax: number,
): void {
  const registers = [registry];
  new Counter({
    name: "wfh_requests_read_total",
    help: "Requests by who read them: direct where they arrive whole, in up to three pieces, else node_http (decision 0039).",
    labelNames: ["reader"],
    registers,
    collect() {
      this.reset();
      for (const [reader, count] of Object.entries(traffic.read)) this.inc({ reader }, count);
    },
  });
  new Counter({
    name: "wfh_bad_requests_total",
    help: "Bytes that were no request: malformed, too_large a head or a pipeline, late to arrive, or the caller was gone.",
    labelNames: ["reason"],
    registers,
    collect() {
      this.reset();
      for (const [reason, count] of Object.entries(traffic.bad)) this.inc({ reason }, count);
    },
  });
  registerCounter(registry, "wfh_bugs_total", {
    help: "Errors outside of a call that nothing has caught; each is in the log.",
    read: () => traffic.bugs,
  });
  registerCounter(registry, "wfh_connections_dropped_total", {
    help: "Connections that were closed at once, because WFH_CONNECTIONS_MAX were open.",
    read: () => traffic.dropped,
  });
  new Gauge({
    name: "wfh_connections",
    help: "Open connections by who reads their requests.",
    labelNames: ["reader"],
    registers,
    async collect() {
      for (const [reader, count] of Object.entries(await traffic.countConnections())) {
        this.set({ reader }, count);
      }
    },
  });
  new Gauge({
    name: "wfh_connections_max",
    help: "WFH_CONNECTIONS_MAX.",
    registers,
  }).set(connectionsMax);
}
