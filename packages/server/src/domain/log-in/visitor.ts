import type { Sender } from "../network.ts";
import type { SameSite } from "./form.ts";

/** The content of a cookie: which session, and the proof that it is the caller's. */
export interface SessionToken {
  /** 22 characters of base64url. */
  readonly selector: string;
  /** 43 characters of base64url. */
  readonly validator: string;
}

/** A cookie of the old server, as it came. */
export interface LegacyCookie {
  readonly name: string;
  readonly text: string;
}

/** The content of a cookie of the old server, which proves itself. Times are UTC in ms. */
export interface LegacyTicket {
  readonly userName: string;
  readonly issuedAtMs: number;
  readonly expiresAtMs: number;
  /** True where the visitor asked to be remembered beyond the browser's end. */
  readonly isPersistent: boolean;
  /** SHA-256 of the protected bytes in base64url. */
  readonly digest: string;
}

/** The cookie of a request; `bad` is malformed or repeated. */
export type CookieReading = SessionToken | "none" | "bad";

/** The caller of a log-in. */
export interface Visitor extends Sender {
  /** Trace id of the request, as the log has it; undefined where it belongs to no trace. */
  readonly traceId?: string | undefined;
  /** Origin of the page that calls, in small letters; null where no browser tells one. */
  readonly origin: string | null;
  /** True when that is our own origin, or no browser's at all, beyond doubt. */
  readonly isOwnOrigin: boolean;
  readonly cookie: CookieReading;
  /** The cookies of the old server as they came, in their order of precedence. */
  readonly legacyCookies?: () => readonly LegacyCookie[];
  /** True when a cookie may be set: over HTTPS, or on this very machine. */
  isSecure(): boolean;
  /** True when the browser asks not to be followed (`Sec-GPC: 1`). */
  readonly wantsPrivacy: boolean;
}

/** A change of the cookie: a new one, or its end. */
export type CookieChange = NewCookie | "expire";

/** A cookie to be set. */
export interface NewCookie {
  readonly token: SessionToken;
  /** Time for which the browser keeps it, in seconds; null until it is closed. */
  readonly maxAgeS: number | null;
  readonly sameSite: SameSite;
}
