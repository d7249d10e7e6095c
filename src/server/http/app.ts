import type { Binding, Call, CallTarget } from "../../bindings/binding.ts";
import type { HttpHead, HttpResponse } from "../../bindings/http.ts";
import type { BindingName } from "../../contract/bindings.ts";
import type { ServiceContract } from "../../contract/operation.ts";
import type { Fault } from "../../fault.ts";
import type { CorsPolicy, OriginCheck } from "../cors/cors-policy.ts";
import type { FindCounter, RequestMeter } from "../metrics/request-meter.ts";
import type { ResponseHeaders } from "./response-headers.ts";

/** A service with its bindings and the code behind its operations. */
export interface ServiceRoute {
  /** As the contract has it. */
  readonly path: string;
  readonly bindings: readonly Binding[];
  /** The binding of a name. Throws when the service is not offered over it. */
  findBinding(name: BindingName): Binding;
  /** Who may call from pages of other origins. */
  readonly callers: ServiceContract["callers"];
  /** Finds what counts a call. */
  readonly findCounter: FindCounter;
  /** Names of the operations that act on passwords or cookies: their answers are kept by nobody. */
  readonly credentialOperations: ReadonlySet<string>;
  /** Runs an operation: its result, null for none, undefined when it is void. */
  invoke(call: Call, request: CheckedRequest, notes: ResponseHeaders): unknown;
  /** Whether a GET of an address is for a document: that of the service itself always is. */
  hasDocument(target: CallTarget): boolean;
  /** Answers a GET of an address that has a document. */
  renderDocument(incoming: IncomingRequest, target: CallTarget): HttpResponse;
}

/** An address of our own beside the services. It acts on the caller's cookie and takes JSON. */
export interface Route {
  /** The one method that it takes, in capitals. */
  readonly method: string;
  /**
   * Answers a request of that method whose Origin and content type are right.
   *
   * @throws {Fault} which is answered as JSON.
   */
  handle(request: CheckedRequest, notes: ResponseHeaders): Promise<HttpResponse>;
}

/** Answers a GET of a page of the server itself. Never rejects. */
export type PageHandler = (incoming: IncomingRequest) => HttpResponse | Promise<HttpResponse>;

/** Everything that one server serves. */
export interface App {
  readonly services: readonly ServiceRoute[];
  /** Pages of the server itself by their paths: the root page, health, readiness and metrics. */
  readonly pages: ReadonlyMap<string, PageHandler>;
  /** Routes by their paths, which match as a whole. */
  readonly routes: ReadonlyMap<string, Route>;
  readonly corsPolicy: CorsPolicy;
  /** The refusal of a request at the admin listener that a page of another origin may have sent; undefined for any other. */
  refuseAdminAccess(request: CheckedRequest): HttpResponse | undefined;
  /** Counts what becomes of requests. */
  readonly meter: RequestMeter;
  /** Told of every request that ends in a fault. */
  logFault(fault: Fault, incoming: IncomingRequest): void;
  /** Told of every request that no binding took, with the answer it got. */
  logRefusal(answer: HttpResponse, incoming: IncomingRequest, hint?: string): void;
}

/** A request whose head has arrived. Its functions are called on it, not taken off it. */
export interface IncomingRequest {
  /** Names the request in the log and, as a header, in the answer. */
  readonly id: string;
  readonly head: HttpHead;
  /** Whether it arrived at the admin listener, whose callers count as the operator (decision 0051). */
  readonly isAdmin: boolean;
  /** Who sends it, as far as the connection and the proxies that are trusted tell. */
  sender(): { readonly address: string | null; readonly userAgent: string | null };
  /** Whether it came over HTTPS, or from this very machine. */
  isSecure(): boolean;
  /** Scheme that the caller used, as far as a proxy that is trusted tells. */
  scheme(): "http" | "https";
  /**
   * All of the body; a promise only where it has not arrived.
   *
   * @throws {Fault} when it is longer than the limit, or ends before it is complete.
   */
  readBody(): Uint8Array | Promise<Uint8Array>;
}

/** A request with what its Origin means. */
export interface CheckedRequest {
  readonly incoming: IncomingRequest;
  readonly origin: OriginCheck;
}
