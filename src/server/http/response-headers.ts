import type { HttpResponse } from "../../bindings/http.ts";
import { renderCookie, type SetCookie } from "../log-in/session-cookie.ts";

/** What the code behind an answer says of it, beside the result. */
export interface ResponseHeaders {
  /** Has the answer change the caller's cookie; the last word counts. */
  changeCookie(change: SetCookie): void;
  /** Has the answer say when to try again, in seconds. */
  retryAfter(seconds: number): void;
}

const none: readonly string[] = [];

/** Notes that are taken for one answer, which become headers: names and values in turn. */
export class ResponseHeaderList implements ResponseHeaders {
  private change: SetCookie | undefined;
  private seconds: number | undefined;

  changeCookie(wanted: SetCookie): void {
    this.change = wanted;
  }

  retryAfter(wanted: number): void {
    this.seconds = wanted;
  }

  /** Headers of an answer that an operation gave. */
  forResult(): readonly string[] {
    if (this.change === undefined) return this.forFault();
    const cookies = renderCookie(this.change);
    return [...this.forFault(), ...cookies.flatMap((cookie) => ["Set-Cookie", cookie])];
  }

  /** Headers of a fault: without the cookie, since who could not be served keeps the one that they have. */
  forFault(): readonly string[] {
    return this.seconds === undefined ? none : ["Retry-After", String(this.seconds)];
  }
}

/** An answer with more headers. */
export function withHeaders(answer: HttpResponse, more: readonly string[]): HttpResponse {
  return more.length === 0 ? answer : { ...answer, headers: [...answer.headers, ...more] };
}

/** An answer that nobody may keep, because it depends on a cookie or a password. */
export function noStore(answer: HttpResponse): HttpResponse {
  const { headers } = answer;
  const others = headers.filter((_text, i) => headers[i - (i % 2)] !== "Cache-Control");
  return { ...answer, headers: [...others, "Cache-Control", "no-store", "Vary", "Cookie"] };
}
