import type { RestApi } from "../contract/operation.ts";
import type { Semaphore } from "../lib/semaphore.ts";
import type { PageHandler, RunOperation } from "./http/app.ts";
import type { IncomingRequest } from "./http/incoming-request.ts";
import type { TrustedProxies } from "./http/trusted-proxies.ts";
import type { LogInLog } from "./log.ts";
import type { Metric } from "./metrics/metric.ts";

/** Additions to a server beside its services: resources of REST with their code, and pages. */
export interface Extension {
  /** Groups of the resources, and the resources, as in `contract/rest-api.ts`. */
  readonly api: Pick<RestApi, "tags" | "operations">;
  /** The code behind the resources, by the names of their operations. */
  readonly operations: ReadonlyMap<string, RunOperation>;
  /** Pages by their paths. */
  readonly pages: ReadonlyMap<string, PageHandler>;
  /** Called with each request to the server that was refused for its origin or Host. */
  readonly onRefusedOrigin?: (request: IncomingRequest) => Promise<void>;
  /** Metrics beside those of the server. */
  readonly metrics: readonly Metric[];
}

/** Parts of a server for what extends it. */
export interface ExtensionDeps {
  readonly proxies: TrustedProxies;
  /** True once the server lets its callers go elsewhere. */
  readonly isDraining: () => boolean;
  /** Runs hashes of passwords, in turns with those of visitors. */
  readonly hashes: Pick<Semaphore, "run">;
  /** Writes the log line of an event, and counts alarms. */
  readonly logEvent: LogInLog;
}

/** Extends a server for as long as it runs. */
export interface ServiceExtension {
  extend(server: ExtensionDeps): Extension;
  /** Ends what it does in the background. */
  close(): Promise<void>;
}
