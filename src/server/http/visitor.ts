import { type HttpHead, headerOf } from "../../bindings/http.ts";
import type { OriginCheck } from "../cors/cors-policy.ts";
import { type CookieToken, readCookie } from "../log-in/session-cookie.ts";
import type { IncomingRequest } from "./incoming-request.ts";
import type { TrustedProxies } from "./trusted-proxies.ts";

/** Who sent a request, as far as that can be trusted. */
export interface RequestVisitor {
  /** Id of the HTTP request, as in the log. */
  readonly requestId: string;
  /** IPv4 or IPv6 address; null when it is not known. */
  readonly address: string | null;
  readonly userAgent: string | null;
  /** Origin of the calling page, in small letters; null when no browser sent one. */
  readonly origin: string | null;
  /** Whether that is, beyond doubt, our own origin or no browser's. */
  readonly isOwnOrigin: boolean;
  readonly cookie: CookieToken | "none" | "bad";
  /** Whether the request came over HTTPS or from this machine. */
  readonly isSecure: boolean;
  /** Whether the browser asks not to be tracked (`Sec-GPC: 1`). */
  readonly wantsPrivacy: boolean;
}

/** Reads who sent a request. */
export function readVisitor(
  request: IncomingRequest,
  origin: OriginCheck,
  proxies: TrustedProxies,
): RequestVisitor {
  const { id, head } = request;
  return {
    requestId: id,
    address: proxies.addressOf(request),
    userAgent: userAgentOf(head),
    origin: headerOf(head, "origin")?.toLowerCase() ?? null,
    isOwnOrigin: origin.kind === "own" && origin.isSure,
    cookie: headerOf(head, "cookie") === undefined ? "none" : readCookie(head),
    // Only a log-in that sets a cookie needs it.
    get isSecure() {
      return proxies.isSecure(request);
    },
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
