import { type Binding, type CallTarget, errorCaching } from "../../bindings/binding.ts";
import {
  type HttpHead,
  type HttpResponse,
  headerOf,
  readTarget,
  replaceControls,
} from "../../bindings/http.ts";
import { bindings as facts } from "../../contract/bindings.ts";
import { Fault, type FaultCode } from "../../fault.ts";
import {
  allowsCredentials,
  describeOriginRefusal,
  isPreflight,
  type OriginCheck,
  preflightResponse,
} from "../cors/cors-policy.ts";
import type { App, PageHandler, Route, ServiceRoute } from "./app.ts";
import { refuseRoute } from "./route-check.ts";

/** Most of what was sent that an error repeats, in UTF-16 units. */
const quotedMax = 200;

/** A call, with the binding that reads it. */
export interface CallChoice {
  readonly kind: "call";
  readonly service: ServiceRoute;
  readonly target: CallTarget;
  readonly binding: Binding;
}

/** A request that an address of our own takes. */
export interface RouteChoice {
  readonly kind: "route";
  readonly route: Route;
}

/** A request for a document of a service. */
interface DocumentChoice {
  readonly kind: "document";
  readonly service: ServiceRoute;
  readonly target: CallTarget;
}

/** A request for a page of the server itself. */
interface PageChoice {
  readonly kind: "page";
  readonly page: PageHandler;
}

/** What becomes of a request, as far as its head tells. */
export type Choice =
  | CallChoice
  | RouteChoice
  | PageChoice
  | DocumentChoice
  | {
      readonly kind: "answer";
      readonly answer: HttpResponse;
      /** For the log. */
      readonly hint?: string;
    };

/**
 * Chooses the document, the binding or the route that a request is for. One that none of them takes is
 * answered here: 404, 405 with Allow, 414, 415 (decision 0006).
 */
export function chooseHandler(head: HttpHead, site: App, origin: OriginCheck): Choice {
  const page = site.pages.get(head.path);
  if (page !== undefined) {
    return pageMethods.includes(head.method)
      ? { kind: "page", page }
      : answered(wrongMethod(head, pageMethods));
  }
  const route = site.routes.get(head.path);
  if (route !== undefined) {
    const answer = refuseRoute(head, route, origin);
    if (answer === undefined) return { kind: "route", route };
    return answered(
      answer,
      allowsCredentials(origin) ? undefined : describeOriginRefusal(head, "credentials"),
    );
  }
  for (const service of site.services) {
    const target = readTarget(head.path, service.path);
    if (target !== undefined) return chooseWithin({ service, target }, head, origin);
  }
  return answered(notFound(head, site));
}

/** Methods of pages: whoever only watches asks with HEAD, which is answered as GET without the body (RFC 9110 §9.3.2). */
const pageMethods = ["GET", "HEAD"];

/** Chooses at the address of a service or below it. */
function chooseWithin(
  { service, target }: Pick<CallChoice, "service" | "target">,
  head: HttpHead,
  origin: OriginCheck,
): Choice {
  if (head.method === "GET" && service.hasDocument(target)) {
    return { kind: "document", service, target };
  }
  const binding = service.bindings.find((candidate) => candidate.accepts(head, target));
  if (binding === undefined) {
    const methods = methodsAt(service, target);
    const allowed = preflightResponse(head, origin, methods);
    if (allowed !== undefined) return answered(allowed);
    if (isPreflight(head) && origin.kind === "foreign") {
      const reason = describeOriginRefusal(head, service.callers);
      return answered(textResponse(405, reason, ["Allow", methods.join(", ")]), reason);
    }
    return answered(refusal(head, service, { target, methods }));
  }
  if (origin.kind === "foreign" && service.callers === "listed") {
    const reason = describeOriginRefusal(head, service.callers);
    return answered(refuseOver(binding, "forbidden", reason), reason);
  }
  if (target.at === "operation" && target.operation === "") return answered(noOperation);
  const encoding = headerOf(head, "content-encoding");
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
    const message = `The content encoding ${encoding.slice(0, 40)} is not supported, send the body as it is.`;
    return answered(refuseOver(binding, "unsupported-media", message));
  }
  return { kind: "call", service, target, binding };
}

/** An error in plain text that belongs to no binding; `reason` is a sentence. */
export function textResponse(
  status: number,
  reason: string,
  headers: readonly string[] = [],
): HttpResponse {
  const type = ["Cache-Control", errorCaching, "Content-Type", "text/plain; charset=utf-8"];
  return { status, headers: [...type, ...headers], body: `${replaceControls(reason)}\n` };
}

function answered(answer: HttpResponse, hint?: string): Choice {
  return { kind: "answer", answer, ...(hint === undefined ? {} : { hint }) };
}

/** The wording is the reference stack's; it answers so to a path that ends with a slash. */
const noOperation = textResponse(
  500,
  "Request format is unrecognized for URL unexpectedly ending in '/'.",
);

/** Methods that an address takes; the address of a service is that of its documents too. */
function methodsAt(service: ServiceRoute, { at }: CallTarget): readonly string[] {
  const own = service.bindings
    .map(({ name }) => facts[name])
    .filter((binding) => binding.at === at);
  const methods = own.map(({ method }) => method);
  return [...new Set(at === "service" ? ["GET", ...methods] : methods)];
}

function refusal(
  head: HttpHead,
  service: ServiceRoute,
  { target, methods }: { target: CallTarget; methods: readonly string[] },
): HttpResponse {
  const candidates = service.bindings.filter(
    ({ name }) => facts[name].at === target.at && facts[name].method === head.method,
  );
  const sent = (head.contentType?.text ?? "").slice(0, quotedMax);
  const formBinding = candidates.find(({ name }) => name === "http-post");
  if (formBinding !== undefined) {
    // The wording is the reference stack's (wire case `post-ct-text`).
    return refuseOver(formBinding, "sender", `Request format is invalid: ${sent}.`);
  }
  if (candidates.length === 0) return wrongMethod(head, methods);
  const expected = candidates.map(({ name }) => facts[name].requestMediaType).join(" or ");
  return textResponse(415, `Found ${sent || "no content type"}, expected ${expected}.`);
}

function refuseOver(binding: Binding, code: FaultCode, message: string): HttpResponse {
  return binding.encodeFault(new Fault(code, message), { binding: binding.name });
}

function wrongMethod(head: HttpHead, methods: readonly string[]): HttpResponse {
  const reason = `The method ${head.method.slice(0, 40)} is not allowed here, use ${methods.join(" or ")}.`;
  return textResponse(405, reason, ["Allow", methods.join(", ")]);
}

function notFound(head: HttpHead, site: App): HttpResponse {
  const services = site.services.map(({ path }) => path).join(", ");
  return textResponse(
    404,
    `Nothing is served at ${head.path.slice(0, 200)}. Served are: ${services}.`,
  );
}
