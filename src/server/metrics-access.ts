import { createHash, timingSafeEqual } from "node:crypto";
import { type HttpResponse, headerOf } from "../bindings/http.ts";
import { type Caller, createPlaceTest, isForwarded } from "./caller-place.ts";
import { textAnswer } from "./choose-binding.ts";
import type { Config } from "./settings.ts";

/** The refusal of a caller who may not read the metrics; undefined for one who may. */
export type JudgeMetricsAccess = (caller: Caller) => HttpResponse | undefined;

const elsewhere = textAnswer(
  403,
  "The metrics of this server are shown only on the machine that it runs on, not through a proxy (WFH_METRICS=on and WFH_METRICS_TOKEN open them to others).",
);
const forwarded = textAnswer(
  403,
  "The metrics of this server are not shown through a proxy, nor to a caller that closes its connection as some proxies do, without a token (WFH_METRICS_TOKEN).",
);
const fromPage = textAnswer(403, "The metrics of this server are not for pages in a browser.");
const withoutToken = textAnswer(
  401,
  "The metrics of this server need the header Authorization: Bearer with the token of WFH_METRICS_TOKEN.",
  ["WWW-Authenticate", 'Bearer realm="metrics"'],
);

/** Makes the decision over /metrics by the settings WFH_METRICS, which is not `off` here, and WFH_METRICS_TOKEN (decision 0040). */
export function createMetricsAccess({
  metrics,
  metricsToken,
  trustedProxies,
}: Pick<Config, "metrics" | "metricsToken" | "trustedProxies">): JudgeMetricsAccess {
  const isHere = createPlaceTest(trustedProxies);
  const hasToken = metricsToken === "" ? undefined : createTokenTest(metricsToken);
  return (caller) => {
    const { head } = caller;
    // No program that reads metrics has an Origin, and a page that may call does so for its visitor.
    if (headerOf(head, "origin") !== undefined) return fromPage;
    if (metrics === "local" && !isHere(caller)) return elsewhere;
    if (hasToken !== undefined) {
      return hasToken(headerOf(head, "authorization")) ? undefined : withoutToken;
    }
    return metrics === "on" && isForwarded(head) ? forwarded : undefined;
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
