import type { Side } from "../../../migration/route/choose-side.ts";
import type { Attempt, Router } from "../../../migration/route/router.ts";
import { operations } from "../../../migration/route/routes.ts";
import {
  byLabel,
  counter,
  gauge,
  Histogram,
  histogram,
  LabelledCounter,
  renderMetrics,
} from "../../../server/metrics/metric.ts";

const sides: readonly Side[] = ["old", "new"];
const names = Object.keys(operations);
/** Upper bounds of durations, in milliseconds. */
const boundsMs = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 60_000];

/** Counts what a router does. */
export class RouteMetrics {
  readonly #attempts = new LabelledCounter({
    side: sides,
    operation: [...names, "other"],
    response: ["2xx", "3xx", "4xx", "5xx", "none", "unsent"],
  });
  readonly #fallbacks = new LabelledCounter({ operation: names });
  readonly #durations = sides.map((side) => ({
    labels: { side },
    histogram: new Histogram(boundsMs),
  }));

  /** Counts a request to one side. */
  add({ side, operation, isFallback, ms, status }: Attempt): void {
    const missing = ms === undefined ? "unsent" : "none";
    const response = status === undefined ? missing : `${Math.floor(status / 100)}xx`;
    this.#attempts.add({ side, operation: operation ?? "other", response });
    if (isFallback) this.#fallbacks.add({ operation: operation ?? "" });
    if (ms !== undefined) this.#durations[sides.indexOf(side)]?.histogram.observe(ms);
  }

  /** All metrics in the text format of Prometheus. */
  async render(circuits: Router["circuits"]): Promise<string> {
    const open = Object.entries(circuits).map(([side, state]) => [side, Number(state === "open")]);
    const metrics = [
      counter(
        "wfh_route_requests_total",
        "Requests sent to a side, by its response.",
        () => this.#attempts.samples,
      ),
      counter(
        "wfh_route_fallbacks_total",
        "Requests sent to the old server after ours failed.",
        () => this.#fallbacks.samples,
      ),
      histogram("wfh_route_request_duration_seconds", "Time until a side began its response.", {
        unit: 1_000,
        list: () => this.#durations,
      }),
      gauge(
        "wfh_route_circuit_open",
        "1 while a side is sent no requests because it does not respond.",
        () => byLabel("side", Object.fromEntries(open)),
      ),
    ];
    return renderMetrics(metrics);
  }
}
