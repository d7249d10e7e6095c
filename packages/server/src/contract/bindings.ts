/** Facts of one way to carry a call over HTTP (contract §4.2). */
export interface BindingFacts {
  readonly title: string;
  readonly method: "GET" | "POST";
  /** Address of a call: that of the service, or of one operation below it. */
  readonly at: "service" | "operation";
  /** Media type of a request, lower case without parameters; null where a request has no body. */
  readonly requestMediaType: string | null;
  /** Form of the parts: elements of an envelope, fields of a form, or members of an object. */
  readonly partsAs: "elements" | "fields" | "members";
  /** Content-Type of every response with a body. */
  readonly responseContentType: string;
  /** Content-Type of a fault. */
  readonly faultContentType: string;
  /**
   * Place of a result: below a result element, as the root element itself, or as a member of an
   * object. A void operation sends an empty response element, no body, or null.
   */
  readonly resultAs: "result-element" | "root-element" | "d-member";
  /** Spaces for each level of the response; 0 writes everything on one line. */
  readonly indent: 0 | 2;
}

const xml = "text/xml; charset=utf-8";
const json = "application/json; charset=utf-8";
const soap12Xml = "application/soap+xml; charset=utf-8";

const soap = {
  method: "POST",
  at: "service",
  partsAs: "elements",
  resultAs: "result-element",
  indent: 0,
} as const;

const form = {
  at: "operation",
  partsAs: "fields",
  responseContentType: xml,
  faultContentType: "text/plain; charset=utf-8",
  resultAs: "root-element",
  indent: 2,
} as const;

/** The bindings by name. */
export const bindings = {
  soap11: {
    ...soap,
    title: "SOAP 1.1",
    requestMediaType: "text/xml",
    responseContentType: xml,
    faultContentType: xml,
  },
  soap12: {
    ...soap,
    title: "SOAP 1.2",
    requestMediaType: "application/soap+xml",
    responseContentType: soap12Xml,
    faultContentType: soap12Xml,
  },
  "http-get": { ...form, title: "HTTP GET", method: "GET", requestMediaType: null },
  "http-post": {
    ...form,
    title: "HTTP POST",
    method: "POST",
    requestMediaType: "application/x-www-form-urlencoded",
  },
  json: {
    title: "JSON",
    method: "POST",
    at: "operation",
    requestMediaType: "application/json",
    partsAs: "members",
    responseContentType: json,
    faultContentType: json,
    resultAs: "d-member",
    indent: 0,
  },
} as const satisfies Record<string, BindingFacts>;

/** Name of a binding; also the name of its file in `bindings/`. */
export type BindingName = keyof typeof bindings;

/** A request of an operation as clients write it, without the values of its parts. */
export interface RequestDescription {
  readonly method: BindingFacts["method"];
  /** Path below that of the service; `""` for the service itself. `{name}` stands for a part. */
  readonly path: string;
  /** Without those that every client adds, such as Content-Length. */
  readonly headers: Readonly<Record<string, string>>;
  readonly partsAs: BindingFacts["partsAs"];
  /** In JSON, longs are text: numbers lose digits beyond 2^53. */
  readonly longsAsText?: true;
  /** Text of the body before and after the parts. */
  readonly before: string;
  readonly after: string;
}
