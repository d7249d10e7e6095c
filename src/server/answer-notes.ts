import type { HttpResponse } from "../bindings/http.ts";
import { renderCookie, type SetCookie } from "./session-cookie.ts";

/** What the code behind an answer says of it, beside the result. */
export interface AnswerNotes {
  /** Has the answer change the caller's cookie; the last word counts. */
  changeCookie(change: SetCookie): void;
  /** Has the answer say when to try again, in seconds. */
  retryAfter(seconds: number): void;
}

/** Notes that have been taken, as headers: names and values in turn. */
export interface TakenNotes extends AnswerNotes {
  ofResult(): readonly string[];
  /** Without the cookie: who could not be served keeps the one that they have. */
  ofFault(): readonly string[];
}

/** Takes notes for one answer. */
export function takeNotes(): TakenNotes {
  let change: SetCookie | undefined;
  let seconds: number | undefined;
  const ofFault = () => (seconds === undefined ? [] : ["Retry-After", String(seconds)]);
  return {
    changeCookie: (wanted) => {
      change = wanted;
    },
    retryAfter: (wanted) => {
      seconds = wanted;
    },
    ofResult: () => {
      const cookies = change === undefined ? [] : renderCookie(change);
      return [...ofFault(), ...cookies.flatMap((cookie) => ["Set-Cookie", cookie])];
    },
    ofFault,
  };
}

/** An answer with more headers. */
export function withHeaders(answer: HttpResponse, more: readonly string[]): HttpResponse {
  return more.length === 0 ? answer : { ...answer, headers: [...answer.headers, ...more] };
}

/** An answer that nobody may keep, because it depends on a cookie or a password. */
export function keptByNobody(answer: HttpResponse): HttpResponse {
  const { headers } = answer;
  const others = headers.filter((_text, i) => headers[i - (i % 2)] !== "Cache-Control");
  return { ...answer, headers: [...others, "Cache-Control", "no-store", "Vary", "Cookie"] };
}
