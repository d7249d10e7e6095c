import type { Binding, Call, CallTarget } from "../../bindings/binding.ts";
import type { HttpResponse } from "../../bindings/http.ts";
import type { RestBinding } from "../../bindings/rest/rest.ts";
import type { BindingName } from "../../contract/bindings.ts";
import type { ServiceContract } from "../../contract/operation.ts";
import type { CorsPolicy, OriginCheck } from "../cors/cors-policy.ts";
import type { LegacyCookies, SetCookie } from "../log-in/session-cookie.ts";
import type { FindCounter, RequestMeter } from "../metrics/request-meter.ts";
import type { Tracing } from "../tracing/tracing.ts";
import type { IncomingRequest } from "./incoming-request.ts";
import type { RequestLog } from "./request-log.ts";
import type { TrustedProxies } from "./trusted-proxies.ts";
import type { RequestVisitor } from "./visitor.ts";

/** Facts about the request for the code of an operation, and the headers that it sets. */
export interface RequestContext {
  /** Client address, origin and cookie, as far as they can be trusted. */
  visitor(): RequestVisitor;
  /** Logs at level debug how many places or states a look-up found. */
  found(count: number): void;
  /** Sets the session cookie of a successful response; the last call counts. */
  changeCookie(change: SetCookie): void;
  /** Sets Retry-After, in seconds. */
  retryAfter(seconds: number): void;
  readonly request: IncomingRequest;
}

/** Runs one operation. Returns its result: null for nil, undefined when it is void. */
export type RunOperation = (input: Call["input"], context: RequestContext) => unknown;

/** A service of the contract, with its bindings and the code behind its operations. */
export interface ServiceRoute {
  readonly path: string;
  readonly bindings: ReadonlyMap<BindingName, Binding>;
  readonly operations: ReadonlyMap<string, RunOperation>;
  /** Who may call from pages of other origins. */
  readonly callers: ServiceContract["callers"];
  readonly findCounter: FindCounter;
  /** Operations that act on passwords or cookies: no cache may store their responses. */
  readonly credentialOperations: ReadonlySet<string>;
  /** Returns true when a GET of a target has a document, as the service itself always has. */
  hasDocument(target: CallTarget): boolean;
  renderDocument(
    request: IncomingRequest,
    target: CallTarget,
  ): HttpResponse | Promise<HttpResponse>;
}

/** The REST API, with the code behind it. */
export interface RestRoute {
  readonly binding: RestBinding;
  readonly operations: ReadonlyMap<string, RunOperation>;
  readonly findCounter: FindCounter;
}

/** Returns a page of the server itself. Never rejects. */
export interface PageHandler {
  (request: IncomingRequest): HttpResponse | Promise<HttpResponse>;
  /** GET and HEAD where it is absent. */
  readonly methods?: readonly string[];
  /** True where pages of other origins may neither read nor send anything, listed ones included. */
  readonly isForOwnOrigin?: boolean;
  /** Its path in log lines, where the path of a request has values of callers. */
  readonly route?: string;
  /** True where what it responds to a failed probe is logged when it changes, not each time. */
  readonly isProbe?: boolean;
}

/** Everything that one server serves. */
export interface App {
  readonly services: readonly ServiceRoute[];
  /** Pages of the server itself by path: root page, health, readiness and metrics. */
  readonly pages: ReadonlyMap<string, PageHandler>;
  /** Finds the page of a path that nothing else serves, for look-ups of others. */
  readonly findCompatiblePage: (path: string) => PageHandler | undefined;
  /** The page for unknown addresses; undefined where programs and browsers get the same text. */
  readonly notFoundPage: PageHandler | undefined;
  readonly rest: RestRoute;
  readonly proxies: TrustedProxies;
  readonly corsPolicy: CorsPolicy;
  /** Refuses a request to the admin listener that may come from a page of another origin. */
  refuseAdminAccess(request: IncomingRequest, origin: OriginCheck): HttpResponse | undefined;
  /** Called with each request that was refused for its origin or Host. */
  readonly onRefusedOrigin?: ((request: IncomingRequest) => Promise<void>) | undefined;
  readonly meter: RequestMeter;
  /** The cookies of the old server; undefined where none are accepted. */
  readonly legacyCookies: LegacyCookies | undefined;
  /** Creates spans of calls; undefined where no SDK is loaded. */
  readonly tracing: Tracing | undefined;
  readonly log: RequestLog;
}
