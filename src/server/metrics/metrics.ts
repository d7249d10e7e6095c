import { Gauge, Registry } from "prom-client";
import type { PageHandler } from "../http/app.ts";
import type { ConnectionTracker } from "../http/connection-tracker.ts";
import type { Config } from "../settings/settings.ts";
import { type EventMetrics, registerEventMetrics } from "./event-metrics.ts";
import { metricsPages } from "./metrics-page.ts";
import { registerProcessMetrics } from "./process-metrics.ts";
import { RequestMeter } from "./request-meter.ts";
import { registerRequestMetrics, registerTrafficMetrics } from "./request-metrics.ts";
import type { SharedMetrics } from "./samples.ts";
import { registerStateMetrics, type StateMetricsDeps } from "./state-metrics.ts";

/** All figures of one server (decision 0040). */
export interface Metrics {
  /** Takes what becomes of requests. */
  readonly meter: RequestMeter;
  /** Takes what happens beside them. */
  readonly events: EventMetrics;
  /** The page that shows all figures, by its path; asked for once. */
  pages(
    traffic: Readonly<ConnectionTracker>,
    state: Omit<StateMetricsDeps, "pageRequestQueueMax" | "isDraining">,
  ): ReadonlyMap<string, PageHandler>;
}

/**
 * @param elapsed milliseconds of a clock that never jumps, with fractions.
 * @param shared where this is one of several processes.
 */
export function createMetrics(
  config: Pick<Config, "metrics" | "metricsToken" | "connectionsMax" | "pageRequestQueueMax">,
  elapsed: () => number,
  shared?: SharedMetrics,
): Metrics {
  const registry = new Registry();
  const meter = new RequestMeter(elapsed);
  registerRequestMetrics(registry, meter);
  const events = registerEventMetrics(registry, elapsed);
  return {
    meter,
    events,
    pages: (traffic, state) => {
      const isDraining = () => traffic.isDraining;
      const { connectionsMax, pageRequestQueueMax } = config;
      registerTrafficMetrics(registry, traffic, connectionsMax);
      registerStateMetrics(registry, { ...state, isDraining, pageRequestQueueMax });
      if (config.metrics !== "off") registerProcessMetrics(registry, shared?.worker);
      const growing = growingIn(registry);
      shared?.offer((growingOnly) => (growingOnly ? growing : registry).getMetricsAsJSON());
      const read = shared?.readAll ?? (() => registry.metrics());
      return metricsPages(read, config);
    },
  };
}

/** The metrics of a registry that only grow. */
function growingIn(registry: Registry): Registry {
  const growing = new Registry();
  for (const { name } of registry.getMetricsAsArray()) {
    const metric = registry.getSingleMetric(name);
    if (metric !== undefined && !(metric instanceof Gauge)) growing.registerMetric(metric);
  }
  return growing;
}
