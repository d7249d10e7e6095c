import type { HttpHead } from "@wfh/server/bindings/http.ts";
import { cookieValues } from "@wfh/server/server/log-in/session-cookie.ts";

/** Browsers accept the prefix only over HTTPS, for one host, from that host. */
const secureName = "__Host-wfh-operator";
const plainName = "wfh-operator";

/** A token of a session, 32 bytes of base64url in their only spelling. */
const tokenPattern = /^[\w-]{42}[AEIMQUYcgkosw048]$/;

/** The cookie goes with the browser; the session has ends of its own. */
const attributes = "Path=/; HttpOnly; SameSite=Strict";

/** Reads the token of the session; null without one, and of several, as one is planted. */
export function readSessionCookie(
  head: Pick<HttpHead, "headers">,
  isHttps: boolean,
): string | null {
  const [value = "", ...others] = cookieValues(head, isHttps ? secureName : plainName);
  return others.length === 0 && tokenPattern.test(value) ? value : null;
}

/** Renders the Set-Cookie header of a session. */
export function renderSessionCookie(token: string, isHttps: boolean): string {
  return isHttps
    ? `${secureName}=${token}; ${attributes}; Secure`
    : `${plainName}=${token}; ${attributes}`;
}

/** Renders the Set-Cookie header that ends the cookie. */
export function expireCookie(isHttps: boolean): string {
  return `${renderSessionCookie("", isHttps)}; Max-Age=0`;
}
