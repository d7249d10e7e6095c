export { replaceControls } from "../codec/plain-text.ts";

/** What a binding sees of a request: no sockets, no streams, so that the edge can be replaced. */
export interface HttpRequest {
  /** In capitals, as sent. */
  readonly method: string;
  /** Path of the target, escapes as sent. */
  readonly path: string;
  /** What follows the `?`, as sent; `""` without one. */
  readonly query: string;
  /** Names and values in turn, as sent. */
  readonly headers: readonly string[];
  readonly contentType: MediaType | undefined;
  /** All bytes of the body; empty where there is none. */
  readonly body: Uint8Array;
}

/** A request before its body has been read. */
export type HttpHead = Omit<HttpRequest, "body">;

/** An answer. Content-Length, Date and the headers that every answer has are added at the edge. */
export interface HttpResponse {
  readonly status: number;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  /** Sent as UTF-8; `""` for an answer without a body. */
  readonly body: string;
  /** Content-Security-Policy of a page; an answer without one allows nothing. */
  readonly policy?: string;
}

/** A Content-Type, taken apart (RFC 9110 §8.3.1). */
export interface MediaType {
  /** The value as sent. */
  readonly text: string;
  /** Type and subtype in lower case, for example `"text/xml"`. */
  readonly name: string;
  /** Without quotes, double or single; an empty one counts as none. */
  readonly charset: string | undefined;
  /** The SOAP 1.2 action, without quotes (RFC 3902 §1). */
  readonly action: string | undefined;
}

/** Body of a request without one. */
export const noBody = new Uint8Array(0);

/** Value of the first header of a name; undefined when it was not sent. The name is given in lower case. */
export function headerOf(head: Pick<HttpHead, "headers">, name: string): string | undefined {
  const { headers } = head;
  for (let i = 0; i < headers.length; i += 2) {
    const candidate = headers[i] ?? "";
    if (candidate.length === name.length && candidate.toLowerCase() === name) return headers[i + 1];
  }
  return undefined;
}

const parameter = /;\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/g;

/** Takes a Content-Type apart. Of a parameter given twice the first counts; what cannot be read is ignored. */
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
