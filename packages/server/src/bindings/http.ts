import { unescapePercent } from "../codec/form/fields.ts";

export { replaceControls } from "../codec/text.ts";

/** A request as bindings see it: no sockets and no streams, so that the HTTP server can change. */
export interface HttpRequest {
  /** In capitals, as sent. */
  readonly method: string;
  /** Path of the target, escapes as sent. */
  readonly path: string;
  /** Text after the `?`, as sent; `""` without one. */
  readonly query: string;
  /** Names and values in turn, as sent. */
  readonly headers: readonly string[];
  readonly contentType: MediaType | undefined;
  /** All bytes of the body; empty without one. */
  readonly body: Uint8Array;
}

/** A request before its body has been read. */
export type HttpHead = Omit<HttpRequest, "body">;

/** A response. The server adds Content-Length, Date and the headers that every response has. */
export interface HttpResponse {
  readonly status: number;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  /** Sent as UTF-8; `""` for a response without a body. */
  readonly body: string;
  /** Content-Security-Policy of a page; a response without one allows nothing. */
  readonly policy?: string;
  /**
   * Sent piece by piece in place of the body, to callers that accept {@link streamType}. It ends
   * when its signal is aborted: the caller has gone, or the server stops.
   */
  readonly stream?: (signal: AbortSignal) => AsyncIterable<string>;
}

/** Media type of streams: server-sent events (HTML §9.2). */
export const streamType = "text/event-stream";

/** A Content-Type, taken apart (RFC 9110 §8.3.1). */
export interface MediaType {
  /** The value as sent. */
  readonly text: string;
  /** Type and subtype in lower case, for example `"text/xml"`. */
  readonly name: string;
  /** Without quotes, double or single; undefined for an empty one. */
  readonly charset: string | undefined;
  /** The SOAP 1.2 action, without quotes (RFC 3902 §1). */
  readonly action: string | undefined;
}

/** Where a request goes at or below the address of a service. */
export type CallTarget =
  | { readonly at: "service" }
  /** Name as sent, with its escapes resolved; may name no operation at all. */
  | { readonly at: "operation"; readonly operation: string };

/** Body of a request without one. */
export const emptyBody = new Uint8Array(0);

/** Headers that a page of another origin can read, besides those that browsers always show. */
export const exposedHeaders: readonly string[] = [
  "Access-Control-Expose-Headers",
  "Retry-After, ETag, X-Request-Id",
];

/** CORS headers: pages of every origin may read what depends on neither a cookie nor a password. */
export const openToAll: readonly string[] = ["Access-Control-Allow-Origin", "*", ...exposedHeaders];

/** Value of the first header of a name in lower case; undefined when it was not sent. */
export function headerOf(head: Pick<HttpHead, "headers">, name: string): string | undefined {
  const { headers } = head;
  for (let i = 0; i < headers.length; i += 2) {
    const candidate = headers[i] ?? "";
    if (candidate.length === name.length && candidate.toLowerCase() === name) return headers[i + 1];
  }
  return undefined;
}

/** All values of a list header (lower-case name), in order, trimmed; proxies may add a field. */
export function listValues({ headers }: Pick<HttpHead, "headers">, name: string): string[] {
  const values: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    if (headers[i]?.toLowerCase() === name) values.push(...(headers[i + 1] ?? "").split(","));
  }
  return values.map((value) => value.trim());
}

/** True when If-None-Match lists an ETag or is `*` (RFC 9110 §13.1.2). */
export function hasETag(head: Pick<HttpHead, "headers">, etag: string): boolean {
  const known = headerOf(head, "if-none-match");
  return known !== undefined && (known.includes(etag) || known.trim() === "*");
}

const parameter = /;\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/g;

/** Parses a Content-Type. The first of repeated parameters counts; malformed ones are ignored. */
export function readMediaType(text: string): MediaType {
  const semicolon = text.indexOf(";");
  const name = (semicolon < 0 ? text : text.slice(0, semicolon)).trim().toLowerCase();
  let charset: string | undefined;
  let action: string | undefined;
  if (semicolon >= 0) {
    for (const [, key = "", quoted, bare] of text.slice(semicolon).matchAll(parameter)) {
      const value = quoted?.replace(/\\(.)/g, "$1") ?? bare ?? "";
      const lowerKey = key.toLowerCase();
      if (lowerKey === "charset") charset ??= value.replace(/^'(.*)'$/, "$1") || undefined;
      else if (lowerKey === "action") action ??= value;
    }
  }
  return { text, name, charset, action };
}

/**
 * Reads a path at or below that of a service: the operation is the text after the slash. Undefined
 * for other paths, and ones not spelled as in the contract: see {@link readSpelledTarget}.
 */
export function readTarget(path: string, servicePath: string): CallTarget | undefined {
  const end = servicePath.length;
  if (!path.startsWith(servicePath) || (path.length > end && path[end] !== "/")) return undefined;
  if (path.length === end) return { at: "service" };
  const operation = path.slice(end + 1);
  return {
    at: "operation",
    operation: operation.includes("%") ? unescapePercent(operation) : operation,
  };
}

// Matched before escapes are resolved: resolving the 2,000 that a path may have takes milliseconds.
/** A path segment that does not count. */
const uncounted = /^(?:\.|%2e)?$/i;

/**
 * As {@link readTarget} for any spelling: letters in any case or escaped, and empty or dot segments
 * ignored, as on the servers of old clients (decision 0049).
 */
export function readSpelledTarget(path: string, servicePath: string): CallTarget | undefined {
  // A spelling is longer, if anything, and most paths that are not of a service are short.
  if (path.length < servicePath.length) return undefined;
  let end = 0;
  for (const expected of servicePath.toLowerCase().split("/").slice(1)) {
    let segment: string;
    do {
      if (path[end] !== "/") return undefined;
      const start = end + 1;
      const slash = path.indexOf("/", start);
      end = slash < 0 ? path.length : slash;
      // An escape takes three characters.
      if (end - start > expected.length * 3) return undefined;
      segment = path.slice(start, end);
    } while (uncounted.test(segment));
    if (unescapePercent(segment).toLowerCase() !== expected) return undefined;
  }
  return readTarget(servicePath + path.slice(end), servicePath);
}
