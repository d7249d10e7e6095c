import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "pino";
import { compileRest } from "./bindings/rest/rest.ts";
import { ajaxEndpoint } from "./contract/ajax-endpoint.ts";
import { locationHelper } from "./contract/location-helper.ts";
import type { RestApi } from "./contract/operation.ts";
import { restApi } from "./contract/rest-api.ts";
import type { Gazetteer } from "./domain/location/gazetteer.ts";
import { limitCountries } from "./domain/location/limit-countries.ts";
import { PlaceLookup } from "./domain/location/lookup.ts";
import type { OverrideSource } from "./domain/location/override.ts";
import { OverrideCache } from "./domain/location/override-cache.ts";
import { OverrideGazetteer } from "./domain/location/override-gazetteer.ts";
import { Audit } from "./domain/log-in/audit.ts";
import { AutoLogIn } from "./domain/log-in/auto-log-in.ts";
import { cacheForms } from "./domain/log-in/form.ts";
import {
  ConcurrencyLimiter,
  toConcurrencyLimits,
} from "./domain/log-in/limits/concurrency-limiter.ts";
import { CookieLimiter } from "./domain/log-in/limits/database-guards.ts";
import { LogIn } from "./domain/log-in/log-in.ts";
import { VisitorSessions } from "./domain/log-in/sessions/visitor-sessions.ts";
import { addressPrefix } from "./domain/network.ts";
import { NetworkRateLimiter } from "./domain/page-requests/rate-limiter.ts";
import { PageRequests } from "./domain/page-requests/record.ts";
import { Semaphore } from "./lib/semaphore.ts";
import { type StartTimer, startTimer } from "./lib/timer.ts";
import { locationOperations, placeOperations } from "./operations/location.ts";
import { logInOperations, logInResources } from "./operations/log-in.ts";
import type { OperationHandlers } from "./operations/operation-handler.ts";
import { pageRequestOperations, pageRequestResources } from "./operations/page-requests.ts";
import { LegacyLogInHasher } from "./secrets/legacy-log-in.ts";
import { openLegacyCookies } from "./secrets/machine-key.ts";
import { PasswordHasher } from "./secrets/password-hashing.ts";
import { SecretKeyError, type SecretKeys } from "./secrets/secret-keys.ts";
import { createTokens } from "./secrets/tokens.ts";
import { createCompatibleApis } from "./server/compatible/compatible-apis.ts";
import {
  createAdminAccess,
  createCorsPolicy,
  createFormsCheck,
} from "./server/cors/cors-policy.ts";
import type { Extension, ServiceExtension } from "./server/extension.ts";
import type { App, PageHandler, RestRoute, ServiceRoute } from "./server/http/app.ts";
import { type Listening, listen } from "./server/http/listener.ts";
import { RequestLog } from "./server/http/request-log.ts";
import {
  createServiceRoutes,
  operationsByName,
  type ServiceRouteDeps,
} from "./server/http/service-routes.ts";
import { TrustedProxies } from "./server/http/trusted-proxies.ts";
import { createLogInLog } from "./server/log.ts";
import {
  createLegacyLogIn,
  type LegacyLogInOptions,
} from "./server/log-in/legacy-log-in-client.ts";
import { Metrics } from "./server/metrics/metrics.ts";
import { ConnectionTracker } from "./server/metrics/state-metrics.ts";
import { healthPages, logChanges } from "./server/pages/health.ts";
import type { RootPageDeps } from "./server/pages/html-pages.ts";
import {
  lazyApiDocuments,
  lazyFixedFiles,
  lazyNotFoundPage,
  lazyPageScripts,
  lazyPages,
} from "./server/pages/pages.ts";
import { hashConcurrencyOf, SettingsError } from "./server/settings/config.ts";
import type { Config } from "./server/settings/settings.ts";
import { openTracing, type Tracing } from "./server/tracing/tracing.ts";
import { readVersion } from "./server/version.ts";
import type { Store } from "./store/store.ts";

/** Parts that a service is started with. */
export interface ServiceDeps {
  readonly config: Config;
  readonly gazetteer: Gazetteer;
  readonly store: ServiceStore;
  /** Resolves once the store is open; absent where it is. Rejects as the start then does. */
  readonly opened?: Promise<void>;
  /** Overrides that are served; by default those of the store. */
  readonly placeOverrides?: OverrideSource;
  /** Protect log-ins; the same for all nodes of one database. */
  readonly secretKeys: SecretKeys;
  readonly log: Logger;
  /** Descriptor of a listening socket, which takes the place of WFH_HOST and WFH_PORT. */
  readonly socket?: number | undefined;
  /** Adds to what is served, such as the operator's page; closed after the last response. */
  readonly extension?: ServiceExtension | undefined;
  /** Changes what is served, for a mock; `createNew` creates the app anew, without its memory. */
  readonly changeApp?: (app: App, createNew: () => App) => App;
  /** Starts timers; tests replace it. */
  readonly after?: StartTimer;
}

/** Part of a store that the service needs. */
export interface ServiceStore
  extends Pick<Store, "pageRequests" | "logIn" | "placeOverrides" | "readiness" | "queuedRows">,
    Pick<Store, "traceQueries" | "now" | "nodeCount" | "clockAheadMs" | "disk" | "onBatch"> {
  readonly retention: Pick<Store["retention"], "facts">;
}

/**
 * Starts the whole server over what it is given: every service of the contract over every binding.
 * Throws when it cannot listen. `startService` opens the parts as well.
 *
 * @example
 * const server = await openService({ config, gazetteer, store, secretKeys, log });
 */
export async function openService(deps: ServiceDeps): Promise<Listening> {
  const { config, store, log, socket, after = startTimer, changeApp = (app) => app } = deps;
  const { placeOverrides = store.placeOverrides } = deps;
  const legacyCookies = openConfiguredLegacyCookies(config);
  const overrides = new OverrideCache({
    source: placeOverrides,
    after,
    onChange: (count) => log.info({ count }, "overrides of places read"),
    onFailure: (cause) => log.error({ cause: String(cause) }, "overrides of places cannot be read"),
    onRecovery: () => log.info("overrides of places can be read again"),
  });
  const tracing = await openTracing(config, log);
  if (tracing !== undefined) store.traceQueries((name, query) => tracing.query(name, query));
  const tracker = new ConnectionTracker();
  const join = () => joinApp({ ...deps, legacyCookies, overrides, tracing, tracker });
  const open = async () => {
    // While the database opens and reads the overrides.
    const starting = Promise.resolve(deps.opened).then(() => overrides.start());
    const app = changeApp(join(), join);
    await starting;
    return listen(config, log, app, { tracker, socket, after });
  };
  const listening = await open().catch((cause) => {
    overrides.stop();
    throw cause;
  });
  const close = async (timeoutMs?: number) => {
    overrides.stop();
    const isClean = await listening.close(timeoutMs);
    await deps.extension?.close();
    return isClean;
  };
  return { ...listening, close };
}

/** The parts of a server that stay when its app is created anew. */
interface AppDeps extends ServiceDeps {
  readonly legacyCookies: ReturnType<typeof openConfiguredLegacyCookies>;
  readonly overrides: OverrideCache;
  readonly tracing: Tracing | undefined;
  readonly tracker: ConnectionTracker;
}

/** Joins the services with what they work with. */
function joinApp(deps: AppDeps): App {
  const { config, store, log, legacyCookies, overrides, tracing, tracker } = deps;
  const metrics = new Metrics(elapsed);
  store.onBatch(metrics.events.onBatch);
  const data = limitCountries(deps.gazetteer, config.countries);
  const gazetteer = new OverrideGazetteer(data, overrides);
  const location = new PlaceLookup(gazetteer, config.countryPrecedence);
  const { forms, sessions, logInLoad, forExtension, ...logIns } = joinLogIn(deps, metrics);
  const proxies = new TrustedProxies(config, log);
  const pageRequestDeps = { pageRequests: joinPageRequests(deps), sessions };
  const logInHandlers = logInOperations(logIns);
  const locations = locationOperations(location);
  const ajax = { ...pageRequestOperations(pageRequestDeps), ...logInHandlers };
  const isDraining = () => tracker.isDraining;
  const extension = deps.extension?.extend({ proxies, isDraining, ...forExtension });
  const api = extendApi(extension);
  const shared = { config, api, proxies, meter: metrics.meter };
  const services = joinServices(locations, ajax, shared);
  const places = placeOperations(location, gazetteer);
  const resources = {
    ...places,
    ...pageRequestResources(pageRequestDeps),
    ...logInResources(logInHandlers, sessions),
  } satisfies OperationHandlers<typeof restApi>;
  const rest: RestRoute = {
    binding: compileRest(api, { version: createDataVersion(gazetteer, overrides) }),
    operations: new Map([...operationsByName(resources), ...(extension?.operations ?? [])]),
    findCounter: metrics.meter.countersOf({ ...api, bindings: ["rest"] }),
  };
  const readiness = logChanges(() => (isDraining() ? "draining" : store.readiness()), log);
  const pages = new Map<string, PageHandler>([
    ...healthPages(readiness),
    ...metrics.pages({ ...deps, logInLoad, readiness }, extension?.metrics ?? []),
    ...lazyPageScripts(),
    ...lazyFixedFiles(),
    ...lazyApiDocuments(api, config, proxies),
    ...lazyPages({
      findPlaces: createSearch(places),
      facts: () => data.facts,
      now: Date.now,
      config,
      api,
    }),
    ...(extension?.pages ?? []),
  ]);
  const formOrigins = async () => (await forms.current()).origins;
  return {
    services,
    proxies,
    legacyCookies,
    tracing,
    meter: metrics.meter,
    pages,
    findCompatiblePage: joinCompatibleApis(deps, places, proxies),
    notFoundPage: lazyNotFoundPage(config, api),
    rest,
    corsPolicy: createCorsPolicy({ config, formOrigins, usesForms: createFormsCheck(services) }),
    refuseAdminAccess: createAdminAccess(config),
    onRefusedOrigin: extension?.onRefusedOrigin,
    log: new RequestLog(log),
  };
}

/** Joins both services of the contract with their code, at all of their paths. */
function joinServices(
  location: OperationHandlers<typeof locationHelper>,
  ajax: OperationHandlers<typeof ajaxEndpoint>,
  shared: ServiceRouteDeps,
): readonly ServiceRoute[] {
  const { config } = shared;
  const helper = {
    contract: locationHelper,
    namespace: config.locationNamespace,
    scriptName: config.locationScriptName,
  };
  const endpoint = {
    contract: ajaxEndpoint,
    namespace: config.endpointNamespace,
    scriptName: config.endpointScriptName,
  };
  return [
    ...createServiceRoutes(helper, config.locationPaths, location, shared),
    ...createServiceRoutes(endpoint, config.endpointPaths, ajax, shared),
  ];
}

/** The search of the start page, which is no call. */
function createSearch(places: ReturnType<typeof placeOperations>): RootPageDeps["findPlaces"] {
  const context = { found: () => {} };
  return (postalCode, country) =>
    country === undefined
      ? places.findPlacesAnywhere({ postalCode }, context)
      : places.findPlaces({ country, postalCode }, context);
}

/** Joins the look-ups of others with the places of the REST API and the limit of networks. */
function joinCompatibleApis(
  { config, store }: AppDeps,
  places: ReturnType<typeof placeOperations>,
  proxies: TrustedProxies,
): App["findCompatiblePage"] {
  const limiter = limitNetworks(config);
  const context = { found: () => {} };
  return createCompatibleApis(config.compatibleApis, {
    findPlaces: (country, postalCode) => places.findPlaces({ country, postalCode }, context),
    listCityCodes: (country, state, city) =>
      places.listCityCodes({ country, state, city }, context),
    consume: (request) => {
      const address = limiter && proxies.addressOf(request);
      const network = address ? addressPrefix(address) : null;
      return network === null || limiter?.consume(network) !== false;
    },
    fastPath: config.fastPath === "on",
    now: store.now,
  });
}

function limitNetworks({ pageRequestsPerNetwork }: Pick<Config, "pageRequestsPerNetwork">) {
  if (pageRequestsPerNetwork === 0) return undefined;
  return new NetworkRateLimiter(pageRequestsPerNetwork, elapsed);
}

/** Joins the rules of page requests with the database and the clocks that they need. */
function joinPageRequests({ config, store }: AppDeps): PageRequests {
  const rateLimiter = limitNetworks(config);
  return new PageRequests({
    log: store.pageRequests,
    now: store.now,
    secretNames: config.secretParameters,
    ...(rateLimiter && { rateLimiter }),
  });
}

/** Joins the rules of log-in with the database, the hashes and the clocks that they need. */
function joinLogIn(
  { config, secretKeys, log, store: database, legacyCookies, tracing }: AppDeps,
  { events }: Pick<Metrics, "events">,
) {
  const { now } = database;
  const store = database.logIn;
  const hashesAtOnce = hashConcurrencyOf(config);
  const hashes = new Semaphore(hashesAtOnce);
  const limits = toConcurrencyLimits({ ...config, hashesAtOnce });
  const limiter = new ConcurrencyLimiter(limits, () => database.nodeCount());
  const tokens = createTokens(secretKeys);
  const tracedHashes = tracing?.hashes(hashes) ?? hashes;
  const hashingDeps = { hashesAtOnce: tracedHashes };
  const { legacyLogInUrl: url, endpointNamespace: namespace } = config;
  const onEnd: LegacyLogInOptions["onEnd"] = (end, reason) => {
    events.onLegacyLogIn(end);
    if (reason !== undefined) log.warn({ reason }, "the old server did not verify a log-in");
  };
  const hashing =
    url === undefined
      ? new PasswordHasher(hashingDeps)
      : new LegacyLogInHasher({
          ...hashingDeps,
          ask: createLegacyLogIn({ url, namespace, onEnd }),
        });
  const logEvent = createLogInLog(log, events.onAlarm);
  const audit = new Audit(store, now, logEvent);
  const forms = cacheForms(() => store.listForms(), now);
  const cookies = new CookieLimiter({ store, tokens, audit, now });
  const sessions = new VisitorSessions({ store, tokens, audit, now });
  const ends = { onEnd: events.onLogIn, after: startTimer };
  const shared = { store, forms, cookies, tokens, audit, now, ...ends };
  return {
    forms,
    sessions,
    forExtension: { hashes: tracedHashes, logEvent },
    logInLoad: { logInsUnderWay: () => limiter.count(), hashes: () => hashes.load },
    logIn: new LogIn({ ...shared, sessions, hashing, limiter, elapsed, pause }),
    autoLogIn: new AutoLogIn({ ...shared, legacy: legacyCookies }),
  };
}

/**
 * Opens the old server's log-in cookies (decision 0082); undefined where the settings name none.
 *
 * @throws {SettingsError} when they cannot be used.
 */
export function openConfiguredLegacyCookies({
  legacyMachineKeyFile: file,
  legacyCookieUntil: untilMs,
}: Config) {
  if (file === "" && untilMs === undefined) return undefined;
  if (file === "" || untilMs === undefined) {
    const both = "WFH_LEGACY_MACHINE_KEY_FILE and WFH_LEGACY_COOKIE_UNTIL";
    throw new SettingsError([`${both}: one of them is missing; set both, or neither`]);
  }
  try {
    return { ...openLegacyCookies(file), untilMs };
  } catch (cause) {
    if (!(cause instanceof SecretKeyError)) throw cause;
    throw new SettingsError([`WFH_LEGACY_MACHINE_KEY_FILE=${file}: ${cause.message}`]);
  }
}

/** Milliseconds of a clock that never jumps, with fractions. */
const elapsed = performance.now.bind(performance);

/** The REST API with the resources of an extension. */
function extendApi(extension: Extension | undefined): RestApi {
  if (extension === undefined) return restApi;
  const { tags, operations } = extension.api;
  return {
    ...restApi,
    tags: { ...restApi.tags, ...tags },
    operations: { ...restApi.operations, ...operations },
  };
}

/** Version of postal data with its overrides, the same on all nodes. */
function createDataVersion(gazetteer: Gazetteer, overrides: OverrideCache): () => string {
  let facts: unknown;
  let index: unknown;
  let text = "";
  return () => {
    if (facts !== gazetteer.facts || index !== overrides.index) {
      facts = gazetteer.facts;
      index = overrides.index;
      const content = [readVersion(), facts, [...overrides.index]];
      const write = (_key: string, value: unknown) =>
        typeof value === "bigint" ? String(value) : value;
      const digest = createHash("sha256").update(JSON.stringify(content, write));
      text = digest.digest("base64url").slice(0, 16);
    }
    return text;
  };
}
