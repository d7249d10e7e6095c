import type { Binding } from "../../bindings/binding.ts";
import {
  type CallTarget,
  type HttpHead,
  type HttpResponse,
  headerOf,
  readSpelledTarget,
  readTarget,
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
import { jsonError, textResponse } from "./response.ts";

/** A call, with the binding that reads it. */
export interface CallChoice {
  readonly kind: "call";
  readonly service: ServiceRoute;
  readonly target: CallTarget;
  readonly binding: Binding;
}

/** A request that a route takes. */
export interface RouteChoice {
  readonly kind: "route";
  readonly route: Route;
}

/** What handles a request, as far as its head tells. */
export type Choice =
  | CallChoice
  | RouteChoice
  | { readonly kind: "page"; readonly page: PageHandler }
  | { readonly kind: "document"; readonly service: ServiceRoute; readonly target: CallTarget }
  | {
      /** A response that needs no more than the head. The metrics know it by this name. */
      readonly kind: "response";
      readonly response: HttpResponse;
      /** For the log. */
      readonly hint?: string;
    };

/** Longest part of a request that an error repeats, in UTF-16 units. */
const quotedMax = 200;
const quotedShortMax = 40;

/** HEAD is handled as GET without the body (RFC 9110 §9.3.2); monitors use it. */
const pageMethods = ["GET", "HEAD"];

/** Type of the bodies that routes take; a page of another origin cannot send it without a preflight. */
const routeMediaType = "application/json";

/**
 * Chooses the page, route, document or binding for a request. A request that none of them takes gets its response here:
 * 403, 404, 405 with Allow, 414, 415 (decision 0006).
 */
export function chooseHandler(head: HttpHead, app: App, origin: OriginCheck): Choice {
  const page = app.pages.get(head.path);
  if (page !== undefined) {
    return pageMethods.includes(head.method)
      ? { kind: "page", page }
      : decided(wrongMethod(head, pageMethods));
  }
  const route = app.routes.get(head.path);
  if (route !== undefined) return chooseRoute(head, route, origin);
  // First the paths as the contract spells them, as nearly all are.
  for (const read of [readTarget, readSpelledTarget]) {
    for (const service of app.services) {
      const target = read(head.path, service.path);
      if (target !== undefined) return chooseInService(head, origin, service, target);
    }
  }
  const paths = app.services.map(({ path }) => path).join(", ");
  const reason = `Nothing is served at ${head.path.slice(0, quotedMax)}. Available: ${paths}.`;
  return decided(textResponse(404, reason));
}

function decided(response: HttpResponse, hint?: string): Choice {
  return hint === undefined ? { kind: "response", response } : { kind: "response", response, hint };
}

/** Chooses a route, or refuses what it does not take: origin, method, content type. */
function chooseRoute(head: HttpHead, route: Route, origin: OriginCheck): Choice {
  if (!allowsCredentials(origin)) {
    const reason = describeOriginRefusal(head, "credentials");
    return decided(jsonError(403, reason), reason);
  }
  const { method } = route;
  if (head.method !== method) {
    const reason = `The method is not allowed here, use ${method}.`;
    const preflight = preflightResponse(head, origin, [method]);
    return decided(preflight ?? jsonError(405, reason, ["Allow", method]));
  }
  const encoding = headerOf(head, "content-encoding")?.toLowerCase() ?? "identity";
  if (head.contentType?.name === routeMediaType && encoding === "identity") {
    return { kind: "route", route };
  }
  return decided(jsonError(415, `The body must be ${routeMediaType} without a content encoding.`));
}

/** Chooses at the address of a service or below it. */
function chooseInService(
  head: HttpHead,
  origin: OriginCheck,
  service: ServiceRoute,
  target: CallTarget,
): Choice {
  if (head.method === "GET" && service.hasDocument(target)) {
    return { kind: "document", service, target };
  }
  for (const binding of service.bindings.values()) {
    if (facts[binding.name].at !== target.at || !binding.accepts(head, target)) continue;
    if (origin.kind === "foreign" && service.callers === "listed") {
      const reason = describeOriginRefusal(head, service.callers);
      return decided(refuseOver(binding, "forbidden", reason), reason);
    }
    if (target.at === "operation" && target.operation === "") return decided(noOperation);
    const encoding = headerOf(head, "content-encoding");
    if (encoding === undefined || encoding.toLowerCase() === "identity") {
      return { kind: "call", service, target, binding };
    }
    const reason = `The content encoding ${encoding.slice(0, quotedShortMax)} is not supported, send the body as it is.`;
    return decided(refuseOver(binding, "unsupported-media", reason));
  }
  return refuseUnbound(head, origin, service, target);
}

function refuseOver(binding: Binding, code: FaultCode, message: string): HttpResponse {
  return binding.encodeFault(new Fault(code, message), { binding: binding.name });
}

/** In the words of the reference stack, for a path that ends with a slash. */
const noOperation = textResponse(
  500,
  "Request format is unrecognized for URL unexpectedly ending in '/'.",
);

/** Returns the preflight response, or refuses what no binding of a service accepts: 405 or 415. */
function refuseUnbound(
  head: HttpHead,
  origin: OriginCheck,
  service: ServiceRoute,
  { at }: CallTarget,
): Choice {
  const bindings = [...service.bindings.values()].filter(({ name }) => facts[name].at === at);
  const ownMethods = bindings.map(({ name }) => facts[name].method);
  // The address of a service is also that of its documents.
  const methods = [...new Set(at === "service" ? ["GET", ...ownMethods] : ownMethods)];
  const preflight = preflightResponse(head, origin, methods);
  if (preflight !== undefined) return decided(preflight);
  if (isPreflight(head) && origin.kind === "foreign") {
    const reason = describeOriginRefusal(head, service.callers);
    return decided(textResponse(405, reason, ["Allow", methods.join(", ")]), reason);
  }
  const candidates = bindings.filter(({ name }) => facts[name].method === head.method);
  if (candidates.length === 0) return decided(wrongMethod(head, methods));
  const sent = (head.contentType?.text ?? "").slice(0, quotedMax);
  const formBinding = candidates.find(({ name }) => name === "http-post");
  if (formBinding !== undefined) {
    // In the words of the reference stack (wire case `post-ct-text`).
    return decided(refuseOver(formBinding, "sender", `Request format is invalid: ${sent}.`));
  }
  const expected = candidates.map(({ name }) => facts[name].requestMediaType).join(" or ");
  return decided(textResponse(415, `Found ${sent || "no content type"}, expected ${expected}.`));
}

function wrongMethod(head: HttpHead, methods: readonly string[]): HttpResponse {
  const method = head.method.slice(0, quotedShortMax);
  const reason = `The method ${method} is not allowed here, use ${methods.join(" or ")}.`;
  return textResponse(405, reason, ["Allow", methods.join(", ")]);
}
