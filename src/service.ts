import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "pino";
import type { Binding, Call, NamedService } from "./bindings/binding.ts";
import { isBelow } from "./bindings/call-target.ts";
import type { HttpHead } from "./bindings/http.ts";
import { httpGet } from "./bindings/http-get/index.ts";
import { httpPost } from "./bindings/http-post/index.ts";
import { json } from "./bindings/json/index.ts";
import { soap11 } from "./bindings/soap11/index.ts";
import { soap12 } from "./bindings/soap12/index.ts";
import type { InputValues } from "./codec/read-parts.ts";
import { ajaxEndpoint } from "./contract/ajax-endpoint.ts";
import type { BindingName } from "./contract/bindings.ts";
import { locationHelper } from "./contract/location-helper.ts";
import type { Operation } from "./contract/operation.ts";
import type { Gazetteer } from "./domain/location/gazetteer.ts";
import { createLocation } from "./domain/location/location.ts";
import { createOverrideBook, type OverrideBookParts } from "./domain/location/override-book.ts";
import { applyOverrides } from "./domain/location/override-gazetteer.ts";
import type { OverrideSource } from "./domain/location/override-store.ts";
import { createAdmission } from "./domain/log-in/admission.ts";
import { createAudit } from "./domain/log-in/audit.ts";
import { AutoLogIn } from "./domain/log-in/auto-log-in.ts";
import { createFormBook } from "./domain/log-in/form-book.ts";
import { LogIn } from "./domain/log-in/log-in.ts";
import type { LogInEvent } from "./domain/log-in/log-in-event.ts";
import type { LogInStore } from "./domain/log-in/log-in-store.ts";
import type { LogInTurns } from "./domain/log-in/log-in-turns.ts";
import { createVisitorSessions } from "./domain/log-in/visitor-sessions.ts";
import type { PageRequestLog } from "./domain/page-requests/page-request-log.ts";
import { createPageRequests } from "./domain/page-requests/record.ts";
import { implementAjaxEndpoint } from "./operations/ajax-endpoint.ts";
import type { CallContext } from "./operations/implementation.ts";
import { implementLocationHelper } from "./operations/location-helper.ts";
import { answeringLogOut } from "./operations/log-in-faults.ts";
import { createPasswordHashing } from "./secrets/password-hashing.ts";
import { createHashSealing } from "./secrets/sealed-hash.ts";
import type { SecretKeys } from "./secrets/secret-keys.ts";
import { Slots } from "./secrets/slots.ts";
import { createTokens } from "./secrets/tokens.ts";
import type { AnswerNotes } from "./server/answer-notes.ts";
import { createOriginJudge } from "./server/cross-origin.ts";
import { serviceDocuments } from "./server/documents.ts";
import { healthPages } from "./server/health.ts";
import { type Listening, listen } from "./server/listen.ts";
import { logOutRoutes } from "./server/log-out.ts";
import { rootPages } from "./server/page-root.ts";
import { requestLog } from "./server/request-log.ts";
import type { Config } from "./server/settings.ts";
import type { JudgedRequest, ServedService } from "./server/site.ts";
import { hashesAtOnceOf } from "./server/thread-pool.ts";
import { visitorOf } from "./server/visitor.ts";

/** What a service is started with. */
export interface ServiceParts {
  readonly config: Config;
  readonly gazetteer: Gazetteer;
  readonly store: ServiceStore;
  /** Protect log-ins; the same for all nodes of one database. */
  readonly secretKeys: SecretKeys;
  readonly log: Logger;
  /** Who may log in when; where it is not given, this process alone decides. */
  readonly turns?: LogInTurns;
  /** Runs something later, and calls it off; tests put their own in its place. */
  readonly after?: OverrideBookParts["after"];
}

/** What the service needs of a store. */
export interface ServiceStore {
  readonly pageRequests: PageRequestLog;
  readonly logIn: LogInStore;
  readonly placeOverrides: OverrideSource;
  /** Whether it can take page requests now. */
  isReady(): boolean;
}

/** Starts the whole server: every service of the contract over every binding. Throws when it cannot listen. */
export function startService(parts: ServiceParts): Promise<Listening> {
  return withOverrides(parts, (gazetteer) => startCorrected({ ...parts, gazetteer }));
}

/** Runs a server over places as operators have corrected them, and looks for their changes until it is closed. */
async function withOverrides(
  { gazetteer, store, log, after = later }: ServiceParts,
  start: (corrected: Gazetteer) => Promise<Listening>,
): Promise<Listening> {
  const overrides = createOverrideBook({
    source: store.placeOverrides,
    after,
    changed: (count) => log.info({ count }, "overrides of places read"),
    failed: (cause) => log.error({ cause: String(cause) }, "overrides of places cannot be read"),
    recovered: () => log.info("overrides of places can be read again"),
  });
  await overrides.start();
  try {
    const listening = await start(applyOverrides(gazetteer, overrides.current));
    const close = async () => {
      const [isClean] = await Promise.all([listening.close(), overrides.stop()]);
      return isClean;
    };
    return { ...listening, close };
  } catch (cause) {
    await overrides.stop();
    throw cause;
  }
}

/** Nothing that is merely due keeps the process alive. */
function later(delayMs: number, run: () => void): () => void {
  const timer = setTimeout(run, delayMs).unref();
  return () => clearTimeout(timer);
}

function startCorrected(parts: ServiceParts): Promise<Listening> {
  const { config, gazetteer, store, log } = parts;
  const location = createLocation({ gazetteer, countryPrecedence: config.countryPrecedence });
  const pageRequests = createPageRequests({
    log: store.pageRequests,
    now: Date.now,
    secretNames: config.secretParameters,
  });
  const { forms, sessions, logIn, autoLogIn } = joinLogIn(parts);
  const services = [
    serve(
      { contract: locationHelper, namespace: config.locationNamespace },
      implementLocationHelper(location),
      parts,
    ),
    serve(
      { contract: ajaxEndpoint, namespace: config.endpointNamespace },
      implementAjaxEndpoint({ pageRequests, sessions, logIn, autoLogIn }),
      parts,
    ),
  ];
  const formOrigins = async () => (await forms.current()).origins;
  const open = services.filter(({ callers }) => callers === "any");
  const asksForms = ({ path }: HttpHead) => !open.some((service) => isBelow(path, service.path));
  return listen({
    config,
    log,
    idPrefix: `${randomBytes(4).toString("hex")}-`,
    site: (isListening) => ({
      services,
      pages: new Map([
        ...healthPages(() => isListening() && store.isReady()),
        ...rootPages({
          services: [locationHelper, ajaxEndpoint],
          facts: () => gazetteer.facts,
          now: Date.now,
          config,
        }),
      ]),
      routes: logOutRoutes((visitor, everywhere) =>
        answeringLogOut(() => sessions.logOut(visitor, everywhere)),
      ),
      judgeOrigin: createOriginJudge({ config, formOrigins, asksForms }),
      ...requestLog(log),
    }),
  });
}

/** Two nodes with the most have fewer on their way than may fail from one network (decision 0023). */
const networkPlaces = { least: 4, most: 14 } as const;

/** Who may log in when, by the limits of the settings. */
export function createLogInTurns(config: Config): LogInTurns {
  const hashesAtOnce = hashesAtOnceOf(config);
  const bounds = {
    max: hashesAtOnce + config.hashQueueMax,
    networkPlaces: Math.min(Math.max(hashesAtOnce, networkPlaces.least), networkPlaces.most),
  };
  const [strangers, owners] = [createAdmission(bounds), createAdmission(bounds)];
  return { strangers, owners, hashes: new Slots(hashesAtOnce) };
}

/** Joins the rules of log-in with the database, the hashes and the clocks that they need. */
function joinLogIn({ config, store: { logIn: store }, secretKeys, log, turns }: ServiceParts) {
  const now = Date.now;
  const ownTurns = turns ?? createLogInTurns(config);
  const tokens = createTokens(secretKeys);
  const sealing = createHashSealing(secretKeys);
  const hashing = createPasswordHashing({ hashesAtOnce: ownTurns.hashes, sealing });
  const audit = createAudit(store, now, (event) =>
    log[alarms.has(event.name) ? "warn" : "info"](toLogLine(event), "log-in"),
  );
  const forms = createFormBook(() => store.listForms(), now);
  const sessions = createVisitorSessions({ store, tokens, audit, now });
  const logIn = new LogIn({
    store,
    forms,
    sessions,
    hashing,
    tokens,
    audit,
    turns: ownTurns,
    now,
    elapsed: () => performance.now(),
    random: Math.random,
    pause,
  });
  return { forms, sessions, logIn, autoLogIn: new AutoLogIn({ store, forms, tokens, audit, now }) };
}

/** Events that an operator should look at. */
const alarms = new Set<LogInEvent["name"]>(["token-reused", "account-held", "network-held"]);

/** An event as the log has it: without what is not there, and with ids as text, which lose no digit. */
function toLogLine({ atMs: _, name: event, accountId, instanceId, ...facts }: LogInEvent) {
  const named = { recordId: accountId, applicationInstanceId: instanceId, ...facts };
  const known = Object.entries(named).filter(([, value]) => value !== null);
  return { event, ...Object.fromEntries(known.map(([name, value]) => [name, String(value)])) };
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
function serve(
  service: NamedService,
  implementation: object,
  { config, log }: Pick<ServiceParts, "config" | "log">,
): ServedService {
  const operations = new Map(Object.entries<AnyOperation>({ ...implementation }));
  const bindings = new Map(
    service.contract.bindings.map((name) => [name, makeBinding[name](service)]),
  );
  return {
    path: service.contract.path,
    callers: service.contract.callers,
    bindings: [...bindings.values()],
    bindingOf: (name) => bindings.get(name) ?? missing(name),
    credentials: new Set(
      Object.entries<Operation>(service.contract.operations)
        .filter(([, { credentials }]) => credentials === true)
        .map(([name]) => name),
    ),
    invoke: (call, request, notes) => {
      const operation = operations.get(call.operation) ?? missing(call.operation);
      return operation(call.input, contextOf(call, { request, notes, log }));
    },
    ...serviceDocuments(service, config),
  };
}

function missing(name: string): never {
  throw new Error(`${name} is not part of the service`);
}

/** What an operation notes goes to the log, where it is kept that closely. */
function contextOf(
  { operation, answer }: Call,
  parts: { readonly request: JudgedRequest; readonly notes: AnswerNotes; readonly log: Logger },
): CallContext {
  const { request, notes, log } = parts;
  const { id: requestId } = request.incoming;
  return {
    sender: () => ({ requestId, ...request.incoming.sender() }),
    found: (found) => {
      if (!log.isLevelEnabled("debug")) return;
      log.debug({ requestId, operation, binding: answer.binding, found }, "looked up");
    },
    visitor: () => visitorOf(request),
    changeCookie: notes.changeCookie,
    retryAfter: notes.retryAfter,
  };
}
