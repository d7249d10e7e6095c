import type { RestApi } from "../contract/operation.ts";
import type { PageHandler, RunOperation } from "./http/app.ts";
import type { TrustedProxies } from "./http/trusted-proxies.ts";

/** Additions to a server beside its services: resources of REST with their code, and pages. */
export interface Extension {
  /** Groups of the resources, and the resources, as in `contract/rest-api.ts`. */
  readonly api: Pick<RestApi, "tags" | "operations">;
  /** The code behind the resources, by the names of their operations. */
  readonly operations: ReadonlyMap<string, RunOperation>;
  /** Pages by their paths. */
  readonly pages: ReadonlyMap<string, PageHandler>;
}

/** Parts of a server for what extends it. */
export interface ExtensionDeps {
  readonly proxies: TrustedProxies;
  /** True once the server lets its callers go elsewhere. */
  readonly isDraining: () => boolean;
}

/** Extends a server for as long as it runs. */
export interface ServiceExtension {
  extend(server: ExtensionDeps): Extension;
  /** Ends what it does in the background. */
  close(): Promise<void>;
}
