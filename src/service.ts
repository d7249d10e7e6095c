import { randomBytes } from "node:crypto";
import type { Logger } from "pino";
import type { Binding, Call, NamedService } from "./bindings/binding.ts";
import { httpGet } from "./bindings/http-get/index.ts";
import { httpPost } from "./bindings/http-post/index.ts";
import { soap11 } from "./bindings/soap11/index.ts";
import { soap12 } from "./bindings/soap12/index.ts";
import type { InputValues } from "./codec/read-parts.ts";
import type { BindingName } from "./contract/bindings.ts";
import { locationHelper } from "./contract/location-helper.ts";
import type { Gazetteer } from "./domain/location/gazetteer.ts";
import { createLocation } from "./domain/location/location.ts";
import type { CallNotes } from "./operations/implementation.ts";
import { implementLocationHelper } from "./operations/location-helper.ts";
import { helpDocument } from "./server/documents.ts";
import { healthPages } from "./server/health.ts";
import { type Listening, listen } from "./server/listen.ts";
import { requestLog } from "./server/request-log.ts";
import type { Config } from "./server/settings.ts";
import type { ServedService } from "./server/site.ts";

/** What a service is started with. */
export interface ServiceParts {
  readonly config: Config;
  readonly gazetteer: Gazetteer;
  readonly log: Logger;
}

/** Starts the whole server: every service of the contract over every binding. Throws when it cannot listen. */
export function startService({ config, gazetteer, log }: ServiceParts): Promise<Listening> {
  const location = createLocation({ gazetteer, countryPrecedence: config.countryPrecedence });
  const services = [
    serve(
      { contract: locationHelper, namespace: config.locationNamespace },
      implementLocationHelper(location),
      log,
    ),
  ];
  return listen({
    config,
    log,
    idPrefix: `${randomBytes(4).toString("hex")}-`,
    site: (isReady) => ({ services, pages: healthPages(isReady), ...requestLog(log) }),
  });
}

const makeBinding: Readonly<Record<BindingName, (service: NamedService) => Binding>> = {
  soap11,
  soap12,
  "http-get": httpGet,
  "http-post": httpPost,
};

/** Code behind an operation whose contract is only known by its name. */
type AnyOperation = (input: InputValues, notes: CallNotes) => unknown;

/** Joins a contract, the code behind it and its bindings. */
function serve(service: NamedService, implementation: object, log: Logger): ServedService {
  const operations = new Map(Object.entries<AnyOperation>({ ...implementation }));
  const bindings = new Map(
    service.contract.bindings.map((name) => [name, makeBinding[name](service)]),
  );
  return {
    path: service.contract.path,
    bindings: [...bindings.values()],
    bindingOf: (name) => bindings.get(name) ?? missing(name),
    invoke: (call, requestId) => {
      const operation = operations.get(call.operation) ?? missing(call.operation);
      return operation(call.input, notesOf(call, requestId, log));
    },
    document: helpDocument(service.contract),
  };
}

function missing(name: string): never {
  throw new Error(`${name} is not part of the service`);
}

const noNotes: CallNotes = { found: () => {} };

/** Notes of a call go to the log, where it is kept that closely. */
function notesOf({ operation, answerAs }: Call, requestId: string, log: Logger): CallNotes {
  if (!log.isLevelEnabled("debug")) return noNotes;
  return {
    found: (found) => log.debug({ requestId, operation, binding: answerAs, found }, "looked up"),
  };
}
