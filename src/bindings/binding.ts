import type { InputValues } from "../codec/xml/parts.ts";
import type { BindingName } from "../contract/bindings.ts";
import type { Fault, ResponseForm } from "../fault.ts";
import type { HttpHead, HttpRequest, HttpResponse } from "./http.ts";

export type { NamedService } from "../contract/action.ts";

/** A request that has been understood. */
export interface Call {
  readonly operation: string;
  readonly input: InputValues;
  /** Not always in the form of the binding that read: an envelope names its own version. */
  readonly responseForm: ResponseForm;
}

/** Where a request goes below the address of a service. */
export type CallTarget =
  | { readonly at: "service" }
  /** Name as sent, with its escapes resolved; may name no operation at all. */
  | { readonly at: "operation"; readonly operation: string };

/** One way to carry a call over HTTP, compiled for one service. */
export interface Binding {
  readonly name: BindingName;
  /** True when method, address and content type are this binding's. Reads no body. */
  accepts(head: HttpHead, target: CallTarget): boolean;
  /** Throws a Fault when the request is not a valid call. */
  decode(request: HttpRequest, target: CallTarget): Call;
  /** Answers what an operation returned: its result, null for none, undefined when it is void. */
  encode(call: Call, result: unknown): HttpResponse;
  encodeFault(fault: Fault, answer: ResponseForm): HttpResponse;
}

/** Cache-Control of an answer that an operation gave (contract §4.2; wire case `s11-ok-postal`). */
export const operationCaching = "private, max-age=0";
/** Cache-Control of an error raised before an operation ran. */
export const errorCaching = "private";
/** Statuses of the faults that mean the same over every binding (decision 0006). */
export const commonStatuses = {
  malformed: 400,
  forbidden: 403,
  "too-large": 413,
  "unsupported-media": 415,
  busy: 503,
  unavailable: 503,
} as const;
