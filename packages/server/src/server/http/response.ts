import { createHash } from "node:crypto";
import { errorCaching } from "../../bindings/binding.ts";
import { type HttpHead, type HttpResponse, hasETag, replaceControls } from "../../bindings/http.ts";

/** Announces that the connection is closed; names and values in turn, as everywhere here. */
export const closing = ["Connection", "close"];

/** Largest Retry-After that we choose ourselves, in seconds. */
const retryAfterMaxS = 5;

/** Headers of every response: browsers must not guess its type, frame it or run it. */
const commonHeaders = ["X-Content-Type-Options", "nosniff", "Referrer-Policy", "no-referrer"];
/** No cache may share a response between origins that may depend on the Origin (decision 0017). */
const commonHeadersByOrigin = [...commonHeaders, "Vary", "Origin"];

/** Returns the headers of every response: without Vary where all origins get the same. */
export function commonHeadersFor(headers: readonly string[]): readonly string[] {
  const origin = headers[headers.indexOf("Access-Control-Allow-Origin") + 1];
  return origin === "*" ? commonHeaders : commonHeadersByOrigin;
}

/** Names of headers whose values differ between responses. */
export const names = {
  length: "Content-Length",
  policy: "Content-Security-Policy",
  id: "X-Request-Id",
} as const;
const nothingAllowed = "default-src 'none'; frame-ancestors 'none'";
/** Lets browsers render XML by their own style and script; scripts in the XML do not run. */
const xmlPolicy = "sandbox; frame-ancestors 'none'";

/** Headers that a connection adds to a response. */
export interface ConnectionHeaders {
  readonly id: string;
  /** True when the connection is closed after the response, which must then say so. */
  readonly closes: boolean;
}

/** All headers of a response, except those that node:http writes itself. */
export function headersOf(
  { status, headers, body, policy, stream }: HttpResponse,
  { id, closes }: ConnectionHeaders,
): string[] {
  // 204 has no Content-Length; that of a 304 would be of what it stands for (RFC 9110 §8.6).
  const hasNoLength = status === 204 || status === 304 || stream !== undefined;
  const length = hasNoLength ? [] : [names.length, String(Buffer.byteLength(body))];
  const all = [...headers, ...length, ...commonHeadersFor(headers)];
  all.push(names.policy, policy ?? policyFor(headers), names.id, id);
  // Random, so that callers do not all return at once.
  if (status === 503 && !headers.includes("Retry-After"))
    all.push("Retry-After", String(1 + Math.floor(Math.random() * retryAfterMaxS)));
  if (closes && !headers.includes("Connection")) all.push(...closing);
  return all;
}

/** The Content-Security-Policy of a response without one, by its Content-Type. */
export function policyFor(headers: readonly string[]): string {
  const type = headers[headers.indexOf("Content-Type") + 1] ?? "";
  return /^[^;]*xml/.test(type) ? xmlPolicy : nothingAllowed;
}

/** A response as text, where there is no request; `status` includes its phrase. */
export function rawResponse(status: string, reason: string, more: readonly string[] = []): string {
  const headers = [
    "Cache-Control",
    errorCaching,
    "Content-Type",
    "text/plain; charset=utf-8",
    names.length,
    String(reason.length),
    ...commonHeadersByOrigin,
    names.policy,
    nothingAllowed,
    "Date",
    new Date().toUTCString(),
    ...closing,
    ...more,
  ];
  return `HTTP/1.1 ${status}\r\n${renderHeaders(headers)}\r\n${reason}`;
}

/** Anything but visible ASCII could end a header: values from a request are checked here too. */
const forbidden = /[^\t\x20-\x7e]/;

/** Headers as lines. Throws a TypeError when one holds a character that no header may hold. */
export function renderHeaders(headers: readonly string[]): string {
  let lines = "";
  for (const [i, text] of headers.entries()) {
    if (forbidden.test(text)) throw new TypeError("Not a header");
    lines += i % 2 === 0 ? `${text}: ` : `${text}\r\n`;
  }
  return lines;
}

/** Longest part of a request that an error repeats, in UTF-16 units. */
export const quotedMax = 200;

/** Returns the message for an unknown path. */
export function nothingServedAt(path: string): string {
  return `Nothing is served at ${path.slice(0, quotedMax)}.`;
}

/** Returns an error in plain text for addresses without a binding; `reason` is a sentence. */
export function textResponse(
  status: number,
  reason: string,
  headers: readonly string[] = [],
): HttpResponse {
  const type = ["Cache-Control", errorCaching, "Content-Type", "text/plain; charset=utf-8"];
  return { status, headers: [...type, ...headers], body: `${replaceControls(reason)}\n` };
}

/** Creates the responses with a document that callers keep: 304 to those who have it. */
export function cachedByETag(document: HttpResponse): (head: HttpHead) => HttpResponse {
  const etag = `"${createHash("sha256").update(document.body).digest("base64url")}"`;
  const headers = [...document.headers, "ETag", etag];
  const whole = { ...document, headers };
  const others = headers.toSpliced(headers.indexOf("Content-Type"), 2);
  const unchanged = { ...document, status: 304, headers: others, body: "" };
  return (head) => (hasETag(head, etag) ? unchanged : whole);
}
