/** What the contract fixes about one way to carry a call over HTTP (contract §4.2). */
export interface BindingFacts {
  readonly method: "GET" | "POST";
  /** Whether the call goes to the address of the service or to that of one operation below it. */
  readonly at: "service" | "operation";
  /** Media type of a request, lower case without parameters; null where a request has no body. */
  readonly requestMediaType: string | null;
  /** Content-Type of every response with a body. */
  readonly responseContentType: string;
  /** How an error is typed: an envelope like any other response, or plain text. */
  readonly faultContentType: string;
  /** Where a result is written: below a result element, as the root element itself, or as a member of an object. */
  readonly resultAs: "result-element" | "root-element" | "d-member";
  /** Response of an operation without a result: its empty response element, no body at all, or null. */
  readonly voidAs: "response-element" | "no-body" | "null";
  /** Spaces for each level of the response; 0 writes everything on one line. */
  readonly indent: 0 | 2;
}

const xml = "text/xml; charset=utf-8";
const json = "application/json; charset=utf-8";
const plainText = "text/plain; charset=utf-8";
const soap12Xml = "application/soap+xml; charset=utf-8";

/** The bindings by name, with what tells them apart. */
export const bindings = {
  soap11: {
    method: "POST",
    at: "service",
    requestMediaType: "text/xml",
    responseContentType: xml,
    faultContentType: xml,
    resultAs: "result-element",
    voidAs: "response-element",
    indent: 0,
  },
  soap12: {
    method: "POST",
    at: "service",
    requestMediaType: "application/soap+xml",
    responseContentType: soap12Xml,
    faultContentType: soap12Xml,
    resultAs: "result-element",
    voidAs: "response-element",
    indent: 0,
  },
  "http-get": {
    method: "GET",
    at: "operation",
    requestMediaType: null,
    responseContentType: xml,
    faultContentType: plainText,
    resultAs: "root-element",
    voidAs: "no-body",
    indent: 2,
  },
  "http-post": {
    method: "POST",
    at: "operation",
    requestMediaType: "application/x-www-form-urlencoded",
    responseContentType: xml,
    faultContentType: plainText,
    resultAs: "root-element",
    voidAs: "no-body",
    indent: 2,
  },
  json: {
    method: "POST",
    at: "operation",
    requestMediaType: "application/json",
    responseContentType: json,
    faultContentType: json,
    resultAs: "d-member",
    voidAs: "null",
    indent: 0,
  },
} as const satisfies Record<string, BindingFacts>;

/** Name of a binding; also the name of its file in `bindings/`. */
export type BindingName = keyof typeof bindings;
