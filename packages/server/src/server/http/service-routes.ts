import type { NamedService } from "../../bindings/binding.ts";
import { compileBinding } from "../../bindings/compile-binding.ts";
import type { Operation, RestApi } from "../../contract/operation.ts";
import { lazyServiceDocuments } from "../pages/pages.ts";
import type { Config } from "../settings/settings.ts";
import type { App, RunOperation, ServiceRoute } from "./app.ts";

/** Collaborators that the routes of all services share. */
export interface ServiceRouteDeps extends Pick<App, "proxies" | "meter"> {
  readonly config: Config;
  readonly api: RestApi;
}

/** Lists the code behind operations by their names. */
export function operationsByName(handlers: object): ReadonlyMap<string, RunOperation> {
  return new Map<string, RunOperation>(Object.entries<RunOperation>({ ...handlers }));
}

/** Joins a contract, the code behind it and its bindings, at its own path and at further ones. */
export function createServiceRoutes(
  service: NamedService,
  paths: readonly string[],
  handlers: object,
  { config, api, proxies, meter }: ServiceRouteDeps,
): readonly ServiceRoute[] {
  const options = { fastPath: config.fastPath === "on" };
  const route = {
    callers: service.contract.callers,
    bindings: new Map(
      service.contract.bindings.map((name) => [name, compileBinding[name](service, options)]),
    ),
    operations: operationsByName(handlers),
    findCounter: meter.countersOf(service.contract),
    credentialOperations: new Set(
      Object.entries<Operation>(service.contract.operations)
        .filter(([, { credentials }]) => credentials === true)
        .map(([name]) => name),
    ),
  };
  // Longest first: an old server of WCF has endpoints at addresses below that of the service.
  const longestFirst = [service.contract.path, ...paths].toSorted((a, b) => b.length - a.length);
  return longestFirst.map((path) => {
    const contract = { ...service.contract, path };
    const documents = lazyServiceDocuments({ ...service, contract }, config, proxies, api);
    return { ...route, path, ...documents };
  });
}
