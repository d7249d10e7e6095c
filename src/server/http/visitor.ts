import { headerOf } from "../../bindings/http.ts";
import { type CookieToken, readCookie } from "../log-in/session-cookie.ts";
import type { CheckedRequest } from "./app.ts";
import type { RequestSender } from "./sender.ts";

/** Who is behind a request: its sender, its origin and its cookie, as far as they can be believed. */
export interface RequestVisitor extends RequestSender {
  /** Id of the HTTP request, as the log has it. */
  readonly requestId: string;
  /** Origin of the page that calls, in small letters; null where no browser tells one. */
  readonly origin: string | null;
  /** Whether that is our own origin, or no browser's at all, beyond doubt. */
  readonly isOwnOrigin: boolean;
  readonly cookie: CookieToken | "none" | "bad";
  /** Whether it came over HTTPS, or from this very machine. */
  readonly isSecure: boolean;
  /** Whether the browser asks not to be followed (`Sec-GPC: 1`). */
  readonly wantsPrivacy: boolean;
}

/** Finds out who is behind a request. */
export function readVisitor({ incoming, origin }: CheckedRequest): RequestVisitor {
  const { head } = incoming;
  return {
    requestId: incoming.id,
    ...incoming.sender(),
    origin: headerOf(head, "origin")?.toLowerCase() ?? null,
    isOwnOrigin: origin.kind === "own" && origin.isSure,
    cookie: readCookie(head),
    isSecure: incoming.isSecure(),
    wantsPrivacy: headerOf(head, "sec-gpc") === "1",
  };
}
