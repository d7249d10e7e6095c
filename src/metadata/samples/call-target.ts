import type { RequestDescription } from "../../contract/bindings.ts";
import type { Operation, Part, ServiceContract, Shape } from "../../contract/operation.ts";
import { type DescribedApi, type DescribedService, isRestApi } from "../described-service.ts";

/** An operation of a service, as far as code samples need it. */
export interface ServiceTarget {
  readonly kind: "service";
  readonly service: {
    readonly address: string;
    readonly contract: Pick<ServiceContract, "name" | "stack" | "interfaceName" | "bindings">;
  };
  readonly name: string;
  readonly operation: Pick<Operation, "credentials" | "result">;
}

/** An operation of the REST API, as far as code samples need it. */
export interface ResourceTarget {
  readonly kind: "resource";
  readonly address: string;
  readonly name: string;
  readonly request: RequestDescription;
  readonly credentials: boolean;
  readonly isVoid: boolean;
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
  { credentials, result, resource }: Operation,
): CallTarget {
  if (isRestApi(described)) {
    if (resource === undefined) throw new RangeError(`Operation ${name} has no address`);
    return {
      ...{ kind: "resource", address: described.address, name },
      request: describeResource(resource),
      ...{ credentials: credentials === true, isVoid: result === undefined },
    };
  }
  const { address, contract } = described;
  const { name: serviceName, stack, bindings, interfaceName } = contract;
  return {
    kind: "service",
    service: {
      address,
      contract: {
        ...{ name: serviceName, stack, bindings },
        ...(interfaceName !== undefined && { interfaceName }),
      },
    },
    name,
    operation: {
      ...(credentials && { credentials }),
      ...(result !== undefined && { result: withoutMeanings(result) }),
    },
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

/** A shape without what only people read. */
function withoutMeanings({ name, parts }: Shape): Shape {
  const bare = Object.entries(parts).map(([part, { type, nilOver }]): [string, Part] => [
    part,
    {
      type: typeof type === "string" ? type : withoutMeanings(type),
      ...(nilOver !== undefined && { nilOver }),
    },
  ]);
  return { name, parts: Object.fromEntries(bare) };
}
