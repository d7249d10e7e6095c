import { interfaceNameOf, soapPortNameOf } from "../../contract/action.ts";
import type { BindingName, RequestDescription } from "../../contract/bindings.ts";
import type { Operation, Shape, Stack } from "../../contract/operation.ts";
import { type Described, isRestApi, tokenPart } from "../described-service.ts";

/** Format of a message: that of a binding, or of the REST API. */
export type MessageFormat = BindingName | "rest";

/** The way to call an operation: over a binding, or as a resource. */
export interface CallFormat {
  readonly binding: MessageFormat;
  readonly description: RequestDescription;
}

/** Target of code samples, as JSON for the script that writes them anew for other values. */
export interface SampleTarget extends CallFormat {
  /** URL of the service or of the API. */
  readonly address: string;
  readonly name: string;
  readonly credentials: boolean;
  readonly isVoid: boolean;
  /** Names in the WSDL; absent for the REST API. */
  readonly wsdl?: {
    readonly serviceName: string;
    readonly interfaceName: string;
    readonly stack: Stack;
    /** Name of the port of SOAP 1.2; tools take that of SOAP 1.1 by themselves. */
    readonly soap12Port: string;
  };
  /** Paths to the scalars of the result, without those that SOAP leaves out. */
  readonly resultPaths: readonly (readonly string[])[];
  /** Names of the longs in the result. */
  readonly longs: readonly string[];
}

/** The target of the samples of an operation. */
export function sampleTarget(
  described: Described,
  name: string,
  { credentials, result }: Operation,
  { binding, description }: CallFormat,
): SampleTarget {
  const { address } = described;
  const target = {
    address,
    name,
    binding,
    description,
    credentials: credentials === true,
    isVoid: result === undefined,
    resultPaths: result === undefined ? [] : scalarPaths(result),
    longs: result === undefined ? [] : longsOf(result),
  };
  if (isRestApi(described)) return target;
  const { contract } = described;
  const wsdl = {
    serviceName: contract.name,
    interfaceName: interfaceNameOf(contract),
    stack: contract.stack,
    soap12Port: soapPortNameOf(contract, "soap12"),
  };
  return { ...target, wsdl };
}

function scalarPaths({ parts }: Shape): SampleTarget["resultPaths"] {
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

/** Describes requests for a resource. */
export function describeResource(
  { method, path }: Required<Operation>["resource"],
  needsToken = false,
): RequestDescription {
  const isGet = method === "GET";
  const authorization = needsToken ? { Authorization: `Bearer {${tokenPart}}` } : {};
  return {
    method,
    path: `/${path}`,
    partsAs: isGet ? "fields" : "members",
    headers: isGet ? authorization : { ...authorization, "Content-Type": "application/json" },
    longsAsText: true,
    before: "",
    after: "",
  };
}
