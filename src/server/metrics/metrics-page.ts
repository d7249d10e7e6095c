import { Registry } from "prom-client";
import type { PageHandler } from "../http/app.ts";
import { textResponse } from "../http/error-response.ts";
import type { Config } from "../settings/settings.ts";
import { createMetricsAccess } from "./metrics-access.ts";

/** Where Prometheus looks unless it is told otherwise. */
const path = "/metrics";

const unreadable = textResponse(
  503,
  "The metrics cannot be read now: the first process of this server does not gather them.",
);
const off = textResponse(404, "This server shows no metrics (WFH_METRICS).");

/**
 * The page of all metrics in the text format of Prometheus, version 0.0.4, by its path.
 *
 * @param readText makes that text.
 */
export function metricsPages(
  readText: () => Promise<string>,
  config: Pick<Config, "metrics" | "metricsToken">,
): ReadonlyMap<string, PageHandler> {
  if (config.metrics === "off") return new Map([[path, () => off]]);
  const refuse = createMetricsAccess(config);
  const headers = ["Cache-Control", "no-store", "Content-Type", Registry.PROMETHEUS_CONTENT_TYPE];
  let reading: Promise<string> | undefined;
  /** Who asks while an answer is being made gets the same: a crowd of readers costs no more than one. */
  const read = () => {
    reading ??= readText().finally(() => {
      reading = undefined;
    });
    return reading;
  };
  return new Map([
    [
      path,
      (caller) =>
        refuse(caller) ??
        read().then(
          (body) => ({ status: 200, headers, body }) as const,
          () => unreadable,
        ),
    ],
  ]);
}
