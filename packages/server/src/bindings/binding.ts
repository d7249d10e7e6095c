import type { InputValues } from "../codec/parts.ts";
import type { NamedService } from "../contract/action.ts";
import {
  type BindingFacts,
  type BindingName,
  bindings,
  type RequestDescription,
} from "../contract/bindings.ts";
import type { Operation } from "../contract/operation.ts";
import type { Fault, FaultCode, ResponseForm } from "../fault.ts";
import type { CallTarget, HttpHead, HttpRequest, HttpResponse } from "./http.ts";

export type { NamedService } from "../contract/action.ts";
export type { CallTarget } from "./http.ts";

/** A request that has been decoded. */
export interface Call {
  readonly operation: string;
  readonly input: InputValues;
  /** Not always the form of the binding that decoded: an envelope names its own version. */
  readonly responseForm: ResponseForm;
}

/** One way to carry a call over HTTP, compiled for one service. */
export interface Binding {
  readonly name: BindingName;
  /** True when method, address and content type are this binding's. Reads no body. */
  accepts(head: HttpHead, target: CallTarget): boolean;
  /** Throws a Fault when the request is not a valid call. */
  decode(request: HttpRequest, target: CallTarget): Call;
  /** Writes the response: a result, null if nothing was found, undefined for a void operation. */
  encode(call: Call, result: unknown): HttpResponse;
  encodeFault(fault: Fault, form: ResponseForm): HttpResponse;
  /** Describes a request as clients write it, for samples and the test form of the help pages. */
  describeRequest(operation: string): RequestDescription;
}

/** Options of compiled bindings. */
export interface BindingOptions {
  /** Reads known envelopes by templates (decision 0038, `WFH_FAST_PATH`); true by default. */
  readonly fastPath?: boolean;
}

/** Compiles something for each operation of a service, by the operations' names. */
export function compileOperations<Compiled>(
  { contract }: NamedService,
  compile: (operation: Operation, name: string) => Compiled,
): ReadonlyMap<string, Compiled> {
  const operations = Object.entries<Operation>(contract.operations);
  return new Map(operations.map(([name, operation]) => [name, compile(operation, name)]));
}

/** Accepts what the contract states. Without a body no type counts (wire case `get-form-body`). */
export function acceptsAs(binding: BindingName): Binding["accepts"] {
  const { method, at, requestMediaType }: BindingFacts = bindings[binding];
  return (head, target) =>
    target.at === at &&
    head.method === method &&
    (requestMediaType === null || head.contentType?.name === requestMediaType);
}

/** The request of an operation as the contract states it, with an empty body around the parts. */
export function describeAs(
  binding: BindingName,
  operation: string,
  typeParameters = "",
): RequestDescription {
  const { method, at, requestMediaType, partsAs }: BindingFacts = bindings[binding];
  const headers =
    requestMediaType === null ? {} : { "Content-Type": requestMediaType + typeParameters };
  const path = at === "service" ? "" : `/${operation}`;
  return { method, path, headers, partsAs, before: "", after: "" };
}

/** Cache-Control of the response of an operation (contract §4.2; wire case `s11-ok-postal`). */
export const operationCaching = "private, max-age=0";
/** Cache-Control of an error raised before an operation ran. */
export const errorCaching = "private";
/** Statuses of the faults that mean the same over every binding (decision 0006). */
export const commonStatuses: Readonly<Partial<Record<FaultCode, number>>> = {
  malformed: 400,
  forbidden: 403,
  unauthorized: 401,
  "forbidden-token": 403,
  "too-large": 413,
  "unsupported-media": 415,
  busy: 503,
  unavailable: 503,
};
