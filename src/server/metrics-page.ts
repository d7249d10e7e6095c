import type { Registry } from "prom-client";
import { textAnswer } from "./choose-binding.ts";
import { createMetricsAccess } from "./metrics-access.ts";
import type { Config } from "./settings.ts";
import type { AnswerPage } from "./site.ts";

/** Where Prometheus looks unless it is told otherwise. */
const path = "/metrics";

const off = textAnswer(404, "This server shows no metrics (WFH_METRICS).");

/** The page of all metrics in the text format of Prometheus, version 0.0.4, by its path. */
export function metricsPages(
  registry: Registry,
  config: Pick<Config, "metrics" | "metricsToken" | "trustedProxies">,
): ReadonlyMap<string, AnswerPage> {
  if (config.metrics === "off") return new Map([[path, () => off]]);
  const refuse = createMetricsAccess(config);
  const headers = ["Cache-Control", "no-store", "Content-Type", registry.contentType];
  let reading: Promise<string> | undefined;
  /** Who asks while an answer is being made gets the same: a crowd of readers costs no more than one. */
  const read = () => {
    reading ??= registry.metrics().finally(() => {
      reading = undefined;
    });
    return reading;
  };
  return new Map([
    [
      path,
      (caller) =>
        refuse(caller) ?? read().then((body) => ({ status: 200, headers, body }) as const),
    ],
  ]);
}
