import type { NamedService } from "../contract/action.ts";
import type { BindingName } from "../contract/bindings.ts";
import type { Operation, Part, ServiceContract } from "../contract/operation.ts";

/** A service as its documents describe it. */
export interface DescribedService extends NamedService {
  /** URL of the service, as its clients reach it. */
  readonly address: string;
}

/** The operations of a service with their names, in the order of the contract. */
export function operationsOf({
  contract,
}: NamedService): readonly (readonly [string, Operation])[] {
  return Object.entries(contract.operations);
}

/** Name of the type of a part. */
export function typeNameOf({ type }: Part): string {
  return typeof type === "string" ? type : type.name;
}

/** Whether a service is offered over a binding. */
export function isOffered({ contract }: NamedService, binding: BindingName): boolean {
  return contract.bindings.includes(binding);
}

/** Address of the root page, relative to the pages of a service. */
export function relativeRootOf({ path }: ServiceContract): string {
  return "../".repeat(path.split("/").length - 2) || "./";
}

/** Address of a service, relative to its own pages: it holds for any origin, and below any path of a proxy. */
export function relativeAddressOf({ path }: ServiceContract): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
