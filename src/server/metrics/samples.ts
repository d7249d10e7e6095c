import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue } from "prom-client";

/** Figures of one process, as they go to another: plain data. */
export type MetricSamples = readonly MetricObjectWithValues<MetricValue<string>>[];

/** How a worker takes part in figures of all processes that share a port (decision 0040). */
export interface SharedMetrics {
  /** Its number, from 1. */
  readonly worker: number;
  /** Takes the way to read what this process counts: all of it, or only what grows. */
  offer(read: (growingOnly: boolean) => Promise<MetricSamples>): void;
  /** The answer for all processes together. Rejects when there is nobody to make it. */
  readAll(): Promise<string>;
}

/** Joins figures of several processes, each metric as it says itself: sum, least, largest, mean or first. */
export function aggregateSamples(all: readonly MetricSamples[]): Promise<MetricSamples> {
  return joined(all).getMetricsAsJSON();
}

/** The same as the text that Prometheus reads. */
export function renderSamples(all: readonly MetricSamples[]): Promise<string> {
  return joined(all).metrics();
}

/** Those figures that only grow: they stay true when their process is gone. */
export function growingOf(figures: MetricSamples): MetricSamples {
  // The package declares types as numbers, and has names.
  return figures.filter(({ type }) => String(type) !== "gauge");
}

function joined(all: readonly MetricSamples[]) {
  return AggregatorRegistry.aggregate(all.map((figures) => [...figures]));
}
