import { interfaceNameOf, soapPortNameOf } from "../../contract/action.ts";
import type { BindingName, RequestDescription } from "../../contract/bindings.ts";
import type { Operation, Shape, Stack } from "../../contract/operation.ts";
import { type DescribedApi, type DescribedService, isRestApi } from "../described-service.ts";

/** How a message is written: over a binding, or as a resource of the REST API. */
export type MessageFormat = BindingName | "rest";

/** The way to call an operation: over a binding, or as a resource. */
export interface CallFormat {
  readonly binding: MessageFormat;
  readonly description: RequestDescription;
}

/** What code samples need of any operation. */
interface SharedTarget {
  /** URL of the service or of the API. */
  readonly address: string;
  readonly name: string;
  readonly credentials: boolean;
  readonly isVoid: boolean;
  readonly binding: MessageFormat;
  /** How its request is written over the binding. */
  readonly request: RequestDescription;
}

/** An operation of a service, as far as code samples need it. */
export interface ServiceTarget extends SharedTarget {
  readonly kind: "service";
  readonly serviceName: string;
  readonly interfaceName: string;
  readonly stack: Stack;
  /** Name of the port of SOAP 1.2 in the WSDL; tools take that of SOAP 1.1 by themselves. */
  readonly soap12Port: string;
  /** Paths to the scalars of the result, without those that SOAP leaves out. */
  readonly resultPaths: readonly (readonly string[])[];
  /** Names of the longs in the result. */
  readonly longs: readonly string[];
}

/** An operation of the REST API, as far as code samples need it. */
export interface ResourceTarget extends SharedTarget {
  readonly kind: "resource";
}

/** What code samples call: JSON, so that the script of a page can write the samples anew for other values. */
export type CallTarget = ServiceTarget | ResourceTarget;

/** A complete program that makes one call and prints the result. */
export interface CodeSample {
  /** Name of the language or tool, for example curl, fetch or C#. */
  readonly language: string;
  /** Without a line end at the end. */
  readonly code: string;
}

/** The target of the samples of an operation. */
export function callTarget(
  described: DescribedApi | DescribedService,
  name: string,
  { credentials, result }: Operation,
  { binding, description: request }: CallFormat,
): CallTarget {
  const { address } = described;
  const isVoid = result === undefined;
  const call = { address, name, credentials: credentials === true, isVoid };
  const shared = { ...call, binding, request };
  if (isRestApi(described)) return { kind: "resource", ...shared };
  const { contract } = described;
  return {
    ...{ kind: "service", ...shared, serviceName: contract.name, stack: contract.stack },
    interfaceName: interfaceNameOf(contract),
    soap12Port: soapPortNameOf(contract, "soap12"),
    resultPaths: result === undefined ? [] : scalarPaths(result),
    longs: result === undefined ? [] : longsOf(result),
  };
}

/** How requests for a resource are written. */
export function describeResource({
  method,
  path,
}: Required<Operation>["resource"]): RequestDescription {
  const isGet = method === "GET";
  return {
    ...{ method, path: `/${path}`, partsAs: isGet ? "fields" : "members" },
    headers: isGet ? {} : { "Content-Type": "application/json" },
    ...{ longsAsText: true, before: "", after: "" },
  };
}

function scalarPaths({ parts }: Shape): ServiceTarget["resultPaths"] {
  return Object.entries(parts).flatMap(([name, { type, nilOver }]) => {
    if (nilOver?.includes("soap11")) return [];
    if (typeof type === "string") return [[name]];
    return scalarPaths(type).map((path) => [name, ...path]);
  });
}

function longsOf({ parts }: Shape): readonly string[] {
  return Object.entries(parts).flatMap(([name, { type }]) => {
    if (typeof type !== "string") return longsOf(type);
    return type === "long" ? [name] : [];
  });
}
