import { Registry } from "prom-client";
import type { Config } from "../settings/settings.ts";
import { type EventMetrics, registerEventMetrics } from "./event-metrics.ts";
import { registerCounter, registerGauge } from "./metric-reading.ts";
import { registerProcessMetrics } from "./process-metrics.ts";
import type { MetricSamples } from "./samples.ts";
import { registerWorkMetrics, type WorkMetricsDeps } from "./state-metrics.ts";

/** The workers of a server. */
export interface SupervisorStats {
  /** Those that serve now. */
  readonly serving: number;
  /** As many as there should be. */
  readonly wanted: number;
  /** Those that left the last reading unanswered. */
  readonly silent: number;
  /** Workers that have died since the server began. */
  readonly deaths: number;
}

/** What the first process of several is asked for with each reading. */
export interface SupervisorMetricsDeps extends WorkMetricsDeps {
  stats(): SupervisorStats;
}

/** Figures of the first process of several, which answers no requests (decision 0041). */
export interface SupervisorMetrics extends Pick<EventMetrics, "onBatch"> {
  read(): Promise<MetricSamples>;
}

/** @param elapsed milliseconds of a clock that never jumps. */
export function createSupervisorMetrics(
  { metrics }: Pick<Config, "metrics">,
  elapsed: () => number,
  parts: SupervisorMetricsDeps,
): SupervisorMetrics {
  const registry = new Registry();
  const { onBatch } = registerEventMetrics(registry, elapsed);
  registerWorkMetrics(registry, parts);
  registerCensus(registry, parts.stats);
  if (metrics !== "off") registerProcessMetrics(registry, 0);
  return { onBatch: onBatch, read: () => registry.getMetricsAsJSON() };
}

function registerCensus(registry: Registry, census: () => SupervisorStats): void {
  registerGauge(registry, "wfh_workers", {
    help: "Workers that serve.",
    read: () => census().serving,
  });
  registerGauge(registry, "wfh_workers_wanted", {
    help: "Workers that there should be: WFH_WORKERS.",
    read: () => census().wanted,
  });
  registerGauge(registry, "wfh_workers_silent", {
    help: "Workers that did not answer in time for this reading: what they counted until the one before is in it, their gauges are not.",
    read: () => census().silent,
  });
  registerCounter(registry, "wfh_worker_deaths_total", {
    help: "Workers that died.",
    read: () => census().deaths,
  });
}
