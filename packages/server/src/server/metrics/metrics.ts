import { createHash, timingSafeEqual } from "node:crypto";
import { type HttpResponse, headerOf } from "../../bindings/http.ts";
import type { PageHandler } from "../http/app.ts";
import type { IncomingRequest } from "../http/incoming-request.ts";
import { textResponse } from "../http/response.ts";
import type { Config } from "../settings/settings.ts";
import { EventMetrics } from "./event-metrics.ts";
import { type Metric, renderMetrics } from "./metric.ts";
import { processMetrics } from "./process-metrics.ts";
import { RequestMeter } from "./request-meter.ts";
import { type ServerState, stateMetrics } from "./state-metrics.ts";

/** All metrics of one server (decision 0040). */
export class Metrics {
  readonly meter: RequestMeter;
  readonly events: EventMetrics;

  /** @param elapsed milliseconds of a monotonic clock, with fractions. */
  constructor(elapsed: () => number) {
    this.meter = new RequestMeter(elapsed);
    this.events = new EventMetrics(elapsed);
  }

  /** The page that shows all metrics and `others`, by its path; called once. */
  pages(
    state: ServerState & { readonly config: Settings },
    others: readonly Metric[],
  ): ReadonlyMap<string, PageHandler> {
    const metrics = [
      ...this.meter.metrics(),
      ...this.events.metrics(),
      ...stateMetrics(state),
      ...others,
      ...(state.config.metrics === "off" ? [] : processMetrics()),
    ];
    return metricsPages(() => renderMetrics(metrics), state.config);
  }
}

/** Where Prometheus looks by default. */
const path = "/metrics";
const headers = [
  "Cache-Control",
  "no-store",
  "Content-Type",
  "text/plain; version=0.0.4; charset=utf-8",
];

const off = textResponse(404, "This server shows no metrics (WFH_METRICS).");
const adminOnly = textResponse(
  403,
  "The metrics of this server are shown at the admin listener only: set WFH_ADMIN_PORT, for example to 8081, and read them there. WFH_METRICS=on with WFH_METRICS_TOKEN shows them here too.",
);
const fromPage = textResponse(403, "The metrics of this server are not for pages in a browser.");
const withoutToken = textResponse(
  401,
  "The metrics of this server need the header Authorization: Bearer with the token of WFH_METRICS_TOKEN.",
  ["WWW-Authenticate", 'Bearer realm="metrics"'],
);

type Settings = Pick<Config, "metrics" | "metricsToken">;

/**
 * The page of all metrics in the text format of Prometheus, version 0.0.4, by its path.
 *
 * @param readText makes that text; concurrent requests share one run.
 */
function metricsPages(
  readText: () => Promise<string>,
  settings: Settings,
): ReadonlyMap<string, PageHandler> {
  if (settings.metrics === "off") return new Map([[path, () => off]]);
  const refuse = createMetricsAccess(settings);
  let reading: Promise<string> | undefined;
  const read = () => {
    reading ??= readText().finally(() => {
      reading = undefined;
    });
    return reading;
  };
  const respond = async () => ({ status: 200, headers, body: await read() });
  return new Map([[path, (request) => refuse(request) ?? respond()]]);
}

/** Creates the check of metrics readers (decisions 0040 and 0051): a refusal, or undefined. */
export function createMetricsAccess({ metrics, metricsToken }: Settings) {
  const hasToken = metricsToken === "" ? () => true : createTokenCheck(metricsToken);
  return ({
    head,
    isAdmin,
  }: Pick<IncomingRequest, "head" | "isAdmin">): HttpResponse | undefined => {
    // A program that reads metrics sends no Origin.
    if (headerOf(head, "origin") !== undefined) return fromPage;
    if (isAdmin) return undefined;
    if (metrics !== "on") return adminOnly;
    return hasToken(headerOf(head, "authorization")) ? undefined : withoutToken;
  };
}

/** Compares digests, so that the time tells nothing of the token. */
function createTokenCheck(token: string): (authorization: string | undefined) => boolean {
  const digestOf = (text: string) => createHash("sha256").update(text).digest();
  const expected = digestOf(token);
  return (authorization = "") => {
    const given = /^bearer +(\S+)$/i.exec(authorization)?.[1];
    return given !== undefined && timingSafeEqual(digestOf(given), expected);
  };
}
