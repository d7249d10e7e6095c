import type { NamedService } from "../contract/action.ts";
import type { Operation, Part, RestApi, ServiceContract } from "../contract/operation.ts";

/** A service as its documents describe it. */
export interface DescribedService extends NamedService {
  /** URL of the service, as its clients reach it. */
  readonly address: string;
  /** The REST API beside it, where that has resources of an extension. */
  readonly api?: RestApi | undefined;
}

/** The REST API as its documents describe it. */
export interface DescribedApi {
  readonly contract: RestApi;
  /** Its URL, as its clients reach it. */
  readonly address: string;
}

/** A service or the REST API. */
export type Described = DescribedApi | DescribedService;

/** The operations of a service with their names, in the order of the contract. */
export function operationsOf({ contract }: Described): readonly (readonly [string, Operation])[] {
  return Object.entries<Operation>(contract.operations);
}

/** The REST API, itself or beside a service; undefined where it has nothing of an extension. */
export function restApiOf(described: Described): RestApi | undefined {
  return isRestApi(described) ? described.contract : described.api;
}

/** True for the REST API. */
export function isRestApi(described: Described): described is DescribedApi {
  return !("bindings" in described.contract);
}

/** Name of the part that stands for a token, which goes into a header. */
export const tokenPart = "token";

const tokenParts: Readonly<Record<string, Part>> = {
  [tokenPart]: { type: "string", meaning: "Token of wfh tokens add, sent as Authorization." },
};

/**
 * The parts of a request as people fill them in: those of one item where a body is a list, and a
 * token first. An example has its values for them, without the token.
 */
export function requestPartsOf({ input, resource, example, token }: Operation): {
  readonly parts: Readonly<Record<string, Part>>;
  readonly values: Readonly<Record<string, unknown>> | undefined;
} {
  const list = input[resource?.body ?? ""];
  if (resource?.body === undefined || typeof list?.type !== "object") {
    return { parts: token ? { ...tokenParts, ...input } : input, values: example?.input };
  }
  const [item] = (example?.input[resource.body] ?? []) as readonly Record<string, unknown>[];
  return { parts: list.type.parts, values: item };
}

/** Address of the root page, relative to the pages of a service. */
export function relativeRootOf({ path }: Pick<ServiceContract, "path">): string {
  return "../".repeat(path.split("/").length - 2) || "./";
}

/** Address of a service relative to its pages, for any origin and below any path of a proxy. */
export function relativeAddressOf({ path }: Pick<ServiceContract, "path">): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
