import type { Binding } from "../../bindings/binding.ts";
import {
  type CallTarget,
  type HttpHead,
  type HttpResponse,
  headerOf,
  openToAll,
  readSpelledTarget,
  readTarget,
} from "../../bindings/http.ts";
import type { RestBinding, RestCall } from "../../bindings/rest/rest.ts";
import { bindings as facts } from "../../contract/bindings.ts";
import type { ProblemName } from "../../contract/problems.ts";
import { Fault, type FaultCode } from "../../fault.ts";
import {
  allowsCredentials,
  describeOriginRefusal,
  isPreflight,
  type OriginCheck,
  preflightResponse,
  readableByOrigin,
} from "../cors/cors-policy.ts";
import { idsOf } from "../tracing/trace-context.ts";
import type { App, PageHandler, ServiceRoute } from "./app.ts";
import type { IncomingRequest } from "./incoming-request.ts";
import { nothingServedAt, quotedMax, textResponse } from "./response.ts";

/** A call, with the binding that reads it. */
export interface CallChoice {
  readonly kind: "call";
  readonly service: ServiceRoute;
  readonly target: CallTarget;
  readonly binding: Binding;
}

/** A call of the REST API. */
export interface RestChoice {
  readonly kind: "rest";
  readonly call: RestCall;
  /** Values of the path, as sent. */
  readonly path: readonly string[];
}

/** Handler of a request, chosen by its head. */
export type Choice =
  | CallChoice
  | RestChoice
  | { readonly kind: "page"; readonly page: PageHandler }
  | { readonly kind: "document"; readonly service: ServiceRoute; readonly target: CallTarget }
  | {
      /** A response that needs no more than the head. The metrics know it by this name. */
      readonly kind: "response";
      readonly response: HttpResponse;
      readonly hint?: string | undefined;
      /** The path in log lines, as of a {@link PageHandler}. */
      readonly route?: string | undefined;
    };

/** Longest part of a request that an error repeats where several are named. */
const quotedShortMax = 40;

/** HEAD is handled as GET without the body (RFC 9110 §9.3.2); monitors use it. */
const pageMethods = ["GET", "HEAD"];

/**
 * Chooses the page, operation, document or binding for a request. A request that none of them takes
 * gets its response here: 403, 404, 405 with Allow, 414, 415 (decision 0006).
 */
export function chooseHandler(request: IncomingRequest, app: App, origin: OriginCheck): Choice {
  const { head } = request;
  const page = app.pages.get(head.path);
  if (page !== undefined) return choosePage(head, page, origin);
  const { binding: rest } = app.rest;
  if (head.path === rest.path || head.path.startsWith(`${rest.path}/`)) {
    return chooseResource(request, rest, origin);
  }
  // First the paths as the contract spells them, as nearly all are.
  for (const read of [readTarget, readSpelledTarget]) {
    for (const service of app.services) {
      const target = read(head.path, service.path);
      if (target !== undefined) return chooseInService(head, origin, service, target);
    }
  }
  const compatible = app.findCompatiblePage(head.path);
  if (compatible !== undefined) return choosePage(head, compatible, origin);
  if (head.path === "*" && head.method === "OPTIONS") return decided(serverOptions);
  const wantsPage = headerOf(head, "accept")?.includes("text/html") === true;
  if (wantsPage && pageMethods.includes(head.method) && app.notFoundPage !== undefined) {
    return { kind: "page", page: app.notFoundPage };
  }
  const paths = [...app.services, rest].map(({ path }) => path).join(", ");
  return decided(textResponse(404, `${nothingServedAt(head.path)} Available: ${paths}.`));
}

/** Chooses a page, or refuses its method, or a page of another origin that would read it. */
function choosePage(head: HttpHead, page: PageHandler, { kind }: OriginCheck): Choice {
  const { methods = pageMethods, isForOwnOrigin = false, route } = page;
  if (isForOwnOrigin && headerOf(head, "origin") !== undefined && kind !== "own") {
    return decided(foreignPage);
  }
  return methods.includes(head.method)
    ? { kind: "page", page }
    : { kind: "response", response: wrongMethod(head, methods), route };
}

/** Such a page sends an Origin even where it could only read. */
const foreignPage = textResponse(403, "Pages of other origins may not call here.");

/** The response to a request for what the server as a whole does (RFC 9110 §9.3.7). */
const serverOptions: HttpResponse = {
  status: 204,
  headers: ["Allow", "GET, HEAD, POST, OPTIONS"],
  body: "",
};

function decided(response: HttpResponse, hint?: string): Choice {
  return hint === undefined ? { kind: "response", response } : { kind: "response", response, hint };
}

/** Chooses an operation of the REST API, or refuses with a problem. */
function chooseResource(request: IncomingRequest, rest: RestBinding, origin: OriginCheck): Choice {
  const { head } = request;
  const resource = rest.find(head.path);
  const route = resource?.calls[0]?.route ?? toUnknownRoute(head.path, rest);
  const refuse: Refuse = (name, detail, headers = []) => {
    const response = rest.encodeProblem(name, { detail, ...idsOf(request), headers });
    return { kind: "response", response, hint: resource && detail, route };
  };
  if (resource === undefined) {
    return refuse("not-found", `${nothingServedAt(head.path)} See ${rest.path}/openapi.json.`);
  }
  const { calls, methods, values } = resource;
  const sent = isPreflight(head) ? headerOf(head, "access-control-request-method") : head.method;
  const wanted = sent === "HEAD" ? "GET" : sent;
  const call = calls.find(({ method }) => method === wanted);
  if (call === undefined) {
    const reason = `The method ${sent?.slice(0, quotedShortMax)} is not allowed here, use ${methods.join(" or ")}.`;
    return refuse("method-not-allowed", reason, ["Allow", methods.join(", ")]);
  }
  return (
    refuseOrigin(head, call, { origin, refuse }) ??
    respondToPreflight(head, origin, { call, methods }) ??
    refuseBody(head, call, refuse) ?? { kind: "rest", call, path: values }
  );
}

/** Path of no resource, for log lines: after its first part it may have values of the caller. */
function toUnknownRoute(path: string, { path: base }: RestBinding): string {
  const end = path.indexOf("/", base.length + 1);
  return end < 0 ? path : `${path.slice(0, end)}/…`;
}

type Refuse = (name: ProblemName, detail: string, headers?: readonly string[]) => Choice;

function refuseOrigin(
  head: HttpHead,
  { callers, credentials }: RestCall,
  { origin, refuse }: { readonly origin: OriginCheck; readonly refuse: Refuse },
): Choice | undefined {
  const isAllowed = credentials ? allowsCredentials(origin) : origin.kind !== "foreign";
  if (callers === "any" || isAllowed) return undefined;
  const reason = describeOriginRefusal(head, credentials ? "credentials" : callers);
  // A page that cannot read why takes the refusal for a lost connection, and sends again.
  return refuse("forbidden-origin", reason, credentials ? [] : readableByOrigin(head));
}

function respondToPreflight(
  head: HttpHead,
  origin: OriginCheck,
  { call, methods }: { readonly call: RestCall; readonly methods: readonly string[] },
): Choice | undefined {
  if (!isPreflight(head)) return undefined;
  const isOpen = call.callers === "any";
  const response = preflightResponse(head, isOpen ? "any" : origin.kind, methods, call);
  if (response === undefined) return undefined;
  return decided(isOpen ? { ...response, headers: [...response.headers, ...openToAll] } : response);
}

function refuseBody(head: HttpHead, { mediaTypes }: RestCall, refuse: Refuse): Choice | undefined {
  if (mediaTypes.length === 0) return undefined;
  const encoding = headerOf(head, "content-encoding")?.toLowerCase() ?? "identity";
  const isExpected = encoding === "identity" && mediaTypes.includes(head.contentType?.name ?? "");
  if (isExpected) return undefined;
  const sent = head.contentType?.text.slice(0, quotedMax) || "no content type";
  const found = encoding === "identity" ? sent : `${sent}, ${encoding.slice(0, quotedShortMax)}`;
  return refuse(
    "unsupported-media-type",
    `Found ${found}; expected ${mediaTypes[0]} without a content encoding.`,
  );
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
  const preflight = preflightResponse(head, origin.kind, methods);
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
