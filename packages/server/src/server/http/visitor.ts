import { type HttpHead, headerOf } from "../../bindings/http.ts";
import type { OriginCheck } from "../cors/cors-policy.ts";
import { readCookie, readLegacyCookies } from "../log-in/session-cookie.ts";
import { idsOf } from "../tracing/trace-context.ts";
import type { IncomingRequest } from "./incoming-request.ts";
import type { TrustedProxies } from "./trusted-proxies.ts";

/** The sender of a request, as far as that can be trusted; the domain has the same words. */
export type RequestVisitor = ReturnType<typeof readVisitor>;

/** Reads who sent a request. */
export function readVisitor(
  request: IncomingRequest,
  origin: OriginCheck,
  proxies: TrustedProxies,
  legacyNames: readonly string[] = [],
) {
  const { id, head, span } = request;
  // Most requests belong to no trace.
  const isTraced = span !== undefined || headerOf(head, "traceparent") !== undefined;
  return {
    requestId: id,
    traceId: isTraced ? idsOf(request).traceId : undefined,
    /** IPv4 or IPv6 address; null when it is not known. */
    address: proxies.addressOf(request),
    userAgent: userAgentOf(head),
    /** Origin of the calling page, in small letters; null when no browser sent one. */
    origin: headerOf(head, "origin")?.toLowerCase() ?? null,
    /** True when that is, beyond doubt, our own origin or no browser's. */
    isOwnOrigin: origin.kind === "own" && origin.isSure,
    cookie: headerOf(head, "cookie") === undefined ? ("none" as const) : readCookie(head),
    /** Reads the cookies of the old server; empty where none are accepted. */
    legacyCookies: () => readLegacyCookies(head, legacyNames),
    /** Returns true when the request came over HTTPS or from this machine. */
    isSecure: () => proxies.isSecure(request),
    wantsPrivacy: headerOf(head, "sec-gpc") === "1",
  };
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The User-Agent. Bytes beyond ASCII are read as UTF-8 where that is possible, else as Latin-1. */
function userAgentOf(head: HttpHead): string | null {
  const name = headerOf(head, "user-agent");
  if (name === undefined) return null;
  try {
    return utf8.decode(Buffer.from(name, "latin1"));
  } catch {
    return name;
  }
}
