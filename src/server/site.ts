import type { Binding, Call } from "../bindings/binding.ts";
import type { HttpHead, HttpResponse } from "../bindings/http.ts";
import type { BindingName } from "../contract/bindings.ts";
import type { ServiceContract } from "../contract/operation.ts";
import type { Fault } from "../fault.ts";
import type { OriginVerdict } from "./cross-origin.ts";

/** A service with its bindings and the code behind its operations. */
export interface ServedService {
  /** As the contract has it. */
  readonly path: string;
  readonly bindings: readonly Binding[];
  /** The binding of a name. Throws when the service is not offered over it. */
  bindingOf(name: BindingName): Binding;
  /** Who may call from pages of other origins. */
  readonly callers: ServiceContract["callers"];
  /** Runs an operation: its result, null for none, undefined when it is void. */
  invoke(call: Call, incoming: Incoming): unknown;
  /** What a GET of the service's own address shows. */
  document(head: HttpHead): HttpResponse;
}

/** Everything that one server serves. */
export interface Site {
  readonly services: readonly ServedService[];
  /** Pages of the server itself by their paths: health and readiness. */
  readonly pages: ReadonlyMap<string, () => HttpResponse>;
  /** What the Origin of a request means. */
  judgeOrigin(head: HttpHead): OriginVerdict;
  /** Told of every request that ends in a fault. */
  logFault(fault: Fault, incoming: Incoming): void;
  /** Told of every request that no binding took, with the answer it got. */
  logRefusal(answer: HttpResponse, incoming: Incoming): void;
}

/** A request whose head has arrived. */
export interface Incoming {
  /** Names the request in the log and, as a header, in the answer. */
  readonly id: string;
  readonly head: HttpHead;
  /** Who sends it, as far as the connection and the proxies that are trusted tell. */
  sender(): { readonly address: string | null; readonly userAgent: string | null };
  /**
   * All of the body.
   *
   * @throws {Fault} when it is longer than the limit, or ends before it is complete.
   */
  readBody(): Promise<Uint8Array>;
}
