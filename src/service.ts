import { randomBytes } from "node:crypto";
import type { Logger } from "pino";
import type { Binding, Call, NamedService } from "./bindings/binding.ts";
import { httpGet } from "./bindings/http-get/index.ts";
import { httpPost } from "./bindings/http-post/index.ts";
import { json } from "./bindings/json/index.ts";
import { soap11 } from "./bindings/soap11/index.ts";
import { soap12 } from "./bindings/soap12/index.ts";
import type { InputValues } from "./codec/read-parts.ts";
import { ajaxEndpoint } from "./contract/ajax-endpoint.ts";
import type { BindingName } from "./contract/bindings.ts";
import { locationHelper } from "./contract/location-helper.ts";
import type { Gazetteer } from "./domain/location/gazetteer.ts";
import { createLocation } from "./domain/location/location.ts";
import type { PageRequestLog } from "./domain/page-requests/page-request-log.ts";
import { createPageRequests } from "./domain/page-requests/record.ts";
import { implementAjaxEndpoint } from "./operations/ajax-endpoint.ts";
import type { CallContext } from "./operations/implementation.ts";
import { implementLocationHelper } from "./operations/location-helper.ts";
import { createOriginJudge } from "./server/cross-origin.ts";
import { helpDocument } from "./server/documents.ts";
import { healthPages } from "./server/health.ts";
import { type Listening, listen } from "./server/listen.ts";
import { requestLog } from "./server/request-log.ts";
import type { Config } from "./server/settings.ts";
import type { Incoming, ServedService } from "./server/site.ts";

/** What a service is started with. */
export interface ServiceParts {
  readonly config: Config;
  readonly gazetteer: Gazetteer;
  readonly store: ServiceStore;
  readonly log: Logger;
}

/** What the service needs of a store. */
export interface ServiceStore {
  readonly pageRequests: PageRequestLog;
  /** Whether it can take page requests now. */
  isReady(): boolean;
}

/** Starts the whole server: every service of the contract over every binding. Throws when it cannot listen. */
export function startService({ config, gazetteer, store, log }: ServiceParts): Promise<Listening> {
  const location = createLocation({ gazetteer, countryPrecedence: config.countryPrecedence });
  const pageRequests = createPageRequests({
    log: store.pageRequests,
    now: Date.now,
    secretNames: config.secretParameters,
  });
  const services = [
    serve(
      { contract: locationHelper, namespace: config.locationNamespace },
      implementLocationHelper(location),
      log,
    ),
    serve(
      { contract: ajaxEndpoint, namespace: config.endpointNamespace },
      implementAjaxEndpoint(pageRequests),
      log,
    ),
  ];
  return listen({
    config,
    log,
    idPrefix: `${randomBytes(4).toString("hex")}-`,
    site: (isListening) => ({
      services,
      pages: healthPages(() => isListening() && store.isReady()),
      judgeOrigin: createOriginJudge(config),
      ...requestLog(log),
    }),
  });
}

const makeBinding: Readonly<Record<BindingName, (service: NamedService) => Binding>> = {
  soap11,
  soap12,
  "http-get": httpGet,
  "http-post": httpPost,
  json,
};

/** Code behind an operation whose contract is only known by its name. */
type AnyOperation = (input: InputValues, context: CallContext) => unknown;

/** Joins a contract, the code behind it and its bindings. */
function serve(service: NamedService, implementation: object, log: Logger): ServedService {
  const operations = new Map(Object.entries<AnyOperation>({ ...implementation }));
  const bindings = new Map(
    service.contract.bindings.map((name) => [name, makeBinding[name](service)]),
  );
  return {
    path: service.contract.path,
    callers: service.contract.callers,
    bindings: [...bindings.values()],
    bindingOf: (name) => bindings.get(name) ?? missing(name),
    invoke: (call, incoming) => {
      const operation = operations.get(call.operation) ?? missing(call.operation);
      return operation(call.input, contextOf(call, incoming, log));
    },
    document: helpDocument(service.contract),
  };
}

function missing(name: string): never {
  throw new Error(`${name} is not part of the service`);
}

/** What an operation notes goes to the log, where it is kept that closely. */
function contextOf({ operation, answer }: Call, incoming: Incoming, log: Logger): CallContext {
  const { id: requestId } = incoming;
  return {
    sender: () => ({ requestId, ...incoming.sender() }),
    found: (found) => {
      if (!log.isLevelEnabled("debug")) return;
      log.debug({ requestId, operation, binding: answer.binding, found }, "looked up");
    },
  };
}
