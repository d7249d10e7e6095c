import type { PageHandler } from "../http/app.ts";
import type { ConnectionTracker } from "../http/connection-tracker.ts";
import type { Config } from "../settings/settings.ts";
import { EventMetrics } from "./event-metrics.ts";
import { collect, type MetricFamily, render } from "./metric.ts";
import { metricsPages } from "./metrics-page.ts";
import { processMetrics } from "./process-metrics.ts";
import { RequestMeter } from "./request-meter.ts";
import { type StateMetricsDeps, stateMetrics } from "./state-metrics.ts";

/** The metrics of one worker of several, which all of them show together. */
export interface ClusterMetrics {
  /** Number of this worker, from 1. */
  readonly worker: number;
  /** Takes the way to read this worker's metrics. */
  onRead(read: () => Promise<readonly MetricFamily[]>): void;
  /** The exposition of all workers. Rejects without a supervisor to make it. */
  readAll(): Promise<string>;
}

/** All metrics of one server (decision 0040). */
export interface Metrics {
  readonly meter: RequestMeter;
  readonly events: EventMetrics;
  /** The page that shows all metrics, by its path; called once. */
  pages(
    connections: Readonly<ConnectionTracker>,
    state: Omit<StateMetricsDeps, "connectionsMax" | "pageRequestQueueMax">,
  ): ReadonlyMap<string, PageHandler>;
}

/** @param elapsed milliseconds of a monotonic clock, with fractions. */
export function createMetrics(
  config: Pick<Config, "metrics" | "metricsToken" | "connectionsMax" | "pageRequestQueueMax">,
  elapsed: () => number,
  cluster?: ClusterMetrics,
): Metrics {
  const meter = new RequestMeter(elapsed);
  const events = new EventMetrics(elapsed);
  return {
    meter,
    events,
    pages: (connections, state) => {
      const metrics = [
        ...meter.metrics(),
        ...events.metrics(),
        ...stateMetrics(connections, { ...config, ...state }),
        ...(config.metrics === "off" ? [] : processMetrics(cluster?.worker)),
      ];
      const read = () => collect(metrics);
      cluster?.onRead(read);
      return metricsPages(cluster?.readAll ?? (async () => render([await read()])), config);
    },
  };
}
