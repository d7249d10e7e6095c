import { createHash, timingSafeEqual } from "node:crypto";
import { type HttpResponse, headerOf } from "../../bindings/http.ts";
import { textResponse } from "../http/error-response.ts";
import type { IncomingRequest } from "../http/incoming-request.ts";
import type { Config } from "../settings/settings.ts";

/** The refusal of a caller who may not read the metrics; undefined for one who may. */
export type MetricsAccess = (
  request: Pick<IncomingRequest, "head" | "isAdmin">,
) => HttpResponse | undefined;

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

/** Makes the decision over /metrics by the settings WFH_METRICS, which is not `off` here, and WFH_METRICS_TOKEN (decisions 0040 and 0051). */
export function createMetricsAccess({
  metrics,
  metricsToken,
}: Pick<Config, "metrics" | "metricsToken">): MetricsAccess {
  const hasToken = metricsToken === "" ? () => true : createTokenTest(metricsToken);
  return ({ head, isAdmin }) => {
    // No program that reads metrics has an Origin, and a page that may call does so for its visitor.
    if (headerOf(head, "origin") !== undefined) return fromPage;
    if (isAdmin) return undefined;
    if (metrics !== "on") return adminOnly;
    return hasToken(headerOf(head, "authorization")) ? undefined : withoutToken;
  };
}

/** Compares digests, so that the time tells nothing of the token. */
function createTokenTest(token: string): (authorization: string | undefined) => boolean {
  const digestOf = (text: string) => createHash("sha256").update(text).digest();
  const expected = digestOf(token);
  return (authorization = "") => {
    const given = /^bearer +(\S+)$/i.exec(authorization)?.[1];
    return given !== undefined && timingSafeEqual(digestOf(given), expected);
  };
}
