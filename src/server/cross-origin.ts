import { type HttpHead, type HttpResponse, headerOf } from "../bindings/http.ts";
import type { Config } from "./settings.ts";

/** What the Origin of a request means. */
export interface OriginVerdict {
  /** `own` where no page of another origin is behind the request, as far as it tells. */
  readonly kind: "own" | "allowed" | "foreign";
  /** Headers for the answer, whatever it is. */
  readonly headers: readonly string[];
}

/** Time for which a browser may remember that it may ask, in seconds. */
const preflightSeconds = 600;

const own: OriginVerdict = { kind: "own", headers: [] };
const foreign: OriginVerdict = { kind: "foreign", headers: [] };

/**
 * Makes the judgement of origins by the settings (decision 0017): equal to the letter to one that is
 * listed, or our own. Browsers always send an Origin with a POST to another origin; without one, and
 * without their word that the request is cross-site, it is no browser.
 */
export function createOriginJudge({
  allowedOrigins,
  baseUrl,
}: Pick<Config, "allowedOrigins" | "baseUrl">): (head: HttpHead) => OriginVerdict {
  const listed = new Set(allowedOrigins);
  const ownOrigin = baseUrl === undefined ? undefined : new URL(baseUrl).origin;
  return (head) => {
    const origin = headerOf(head, "origin");
    if (origin === undefined) {
      return headerOf(head, "sec-fetch-site") === "cross-site" ? foreign : own;
    }
    const spelled = origin.toLowerCase();
    if (listed.has(spelled)) {
      return { kind: "allowed", headers: ["Access-Control-Allow-Origin", origin] };
    }
    const isOwn = ownOrigin === undefined ? isOfHost(spelled, head) : spelled === ownOrigin;
    return isOwn ? own : foreign;
  };
}

/** The answer to a browser that asks whether it may call; undefined when the request is no such question. */
export function answerPreflight(
  head: HttpHead,
  verdict: OriginVerdict,
  methods: readonly string[],
): HttpResponse | undefined {
  const isAsking =
    head.method === "OPTIONS" && headerOf(head, "access-control-request-method") !== undefined;
  if (!isAsking || verdict.kind !== "allowed") return undefined;
  const allowed = methods.join(", ");
  const headers = [
    ...["Allow", allowed, "Access-Control-Allow-Methods", allowed],
    ...["Access-Control-Allow-Headers", "content-type, soapaction"],
    ...["Access-Control-Max-Age", String(preflightSeconds)],
  ];
  return { status: 204, headers, body: "" };
}

function isOfHost(origin: string, head: HttpHead): boolean {
  const host = headerOf(head, "host")?.toLowerCase();
  return host !== undefined && (origin === `http://${host}` || origin === `https://${host}`);
}
