import { errorCaching } from "../../bindings/binding.ts";
import type { HttpResponse } from "../../bindings/http.ts";
import { STATUS_CODES } from "./node-http.ts";

/** Says that no further request is read from the connection; names and values in turn, as all here. */
export const closing = ["Connection", "close"];

/** Longest time that a caller is asked to wait before it tries again, in seconds. */
const retryAfterMaxS = 5;

/**
 * Headers of every answer: nothing may be guessed, framed or run from it, and since answers depend on
 * the Origin (decision 0017), no cache may give one caller's to another.
 */
const commonHeaders = [
  ...["X-Content-Type-Options", "nosniff", "Referrer-Policy", "no-referrer"],
  ...["Vary", "Origin"],
];
/** Names of headers whose values differ from answer to answer. */
const names = {
  length: "Content-Length",
  policy: "Content-Security-Policy",
  id: "X-Request-Id",
} as const;
const nothingAllowed = "default-src 'none'; frame-ancestors 'none'";
/** For XML: browsers show it with a style and a script of their own, and a blank page where those are forbidden. No script within it runs. */
const xmlPolicy = "sandbox; frame-ancestors 'none'";

/** What no header may hold, since it would end it: names and values that come from a request are held to this too. */
const forbidden = /[^\t\x20-\x7e]/;

/** What a connection adds to an answer. */
export interface ConnectionHeaders {
  /** Names the request. */
  readonly id: string;
  /** Whether the connection ends with the answer, and must say so. */
  readonly closes: boolean;
}

/** All headers of an answer, names and values in turn, but those that node:http writes itself. */
export function headersOf(
  answer: HttpResponse,
  { id, closes }: ConnectionHeaders,
): readonly string[] {
  const { status, headers, body, policy } = answer;
  // An answer that never has a body has no length either (RFC 9110 §8.6).
  const length = status === 204 ? [] : [names.length, String(Buffer.byteLength(body))];
  const all = [...headers, ...length, ...commonHeaders];
  all.push(names.policy, policy ?? policyFor(headers), names.id, id);
  // Spread, so that those who were sent away do not all come back at once.
  if (status === 503 && !headers.includes("Retry-After"))
    all.push("Retry-After", String(1 + Math.floor(Math.random() * retryAfterMaxS)));
  if (closes && !headers.includes("Connection")) all.push(...closing);
  return all;
}

/** The policy of an answer that has none of its own, by its Content-Type. */
function policyFor(headers: readonly string[]): string {
  const type = headers[headers.indexOf("Content-Type") + 1] ?? "";
  return /^[^;]*xml/.test(type) ? xmlPolicy : nothingAllowed;
}

/** An answer as bytes, for where there is no request to answer; `status` with its phrase. */
export function rawResponse(status: string, reason: string, more: readonly string[] = []): string {
  const headers = [
    ...["Cache-Control", errorCaching, "Content-Type", "text/plain; charset=utf-8"],
    ...[names.length, String(reason.length), ...commonHeaders],
    ...[names.policy, nothingAllowed, ...closing, ...more],
  ];
  return `HTTP/1.1 ${status}\r\n${linesOf(headers)}\r\n${reason}`;
}

const common = `${linesOf(commonHeaders)}${names.policy}: `;
const idBegin = `\r\n${names.id}: `;

/** Lines of headers that were written before, and their policy, by their lists: bindings have one list for all of their answers. */
const written = new WeakMap<
  readonly string[],
  { readonly first: string; readonly policy: string }
>();

/** An answer as it is written to a connection. */
export interface ResponseText {
  readonly text: string;
  readonly encoding: "latin1" | "utf8";
}

/**
 * The whole text of an answer, with what node:http would write itself.
 *
 * @param kept value of Keep-Alive; undefined where the caller asked for the connection to be closed.
 */
export function responseText(
  answer: HttpResponse,
  head: ConnectionHeaders,
  kept: string | undefined,
): ResponseText {
  const { status, body } = answer;
  const length = Buffer.byteLength(body);
  const connection =
    kept === undefined ? linesOf(closing) : `Connection: keep-alive\r\nKeep-Alive: ${kept}\r\n`;
  const end = head.closes ? "\r\n" : `${connection}\r\n`;
  const text = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${ownLines(answer, head, length)}Date: ${dateNow()}\r\n${end}${body}`;
  // As many bytes as characters is ASCII, which is the same bytes in both; as latin1 they are only copied. Headers are ASCII.
  return { text, encoding: length === body.length ? "latin1" : "utf8" };
}

/** Lines of {@link headersOf}, made of as few pieces as can be for the answers that are most frequent. */
function ownLines(answer: HttpResponse, head: ConnectionHeaders, length: number): string {
  const { status, headers, policy } = answer;
  if (head.closes || status === 204 || status === 503) return linesOf(headersOf(answer, head));
  let lines = written.get(headers);
  if (lines === undefined) {
    lines = { first: `${linesOf(headers)}${names.length}: `, policy: policyFor(headers) };
    written.set(headers, lines);
  }
  return `${lines.first}${length}\r\n${common}${policy ?? lines.policy}${idBegin}${head.id}\r\n`;
}

function linesOf(headers: readonly string[]): string {
  for (const text of headers) if (forbidden.test(text)) throw new TypeError("Not a header");
  return headers.map((text, i) => (i % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join("");
}

let dateSecond = 0;
let dateText = "";

/** The time as HTTP writes it, made once a second. */
function dateNow(): string {
  const second = Math.floor(Date.now() / 1_000);
  if (second !== dateSecond) {
    dateSecond = second;
    dateText = new Date(second * 1_000).toUTCString();
  }
  return dateText;
}
