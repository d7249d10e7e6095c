import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import type { Logger } from "pino";
import { attachFastPath, type FastConnection } from "../fast-path/fast-connection.ts";
import type { Config } from "../settings/settings.ts";
import type { App } from "./app.ts";
import { BodyBudget } from "./body-budget.ts";
import { ConnectionTracker, type Rebalance } from "./connection-tracker.ts";
import { watchDescriptors } from "./descriptor-watch.ts";
import { createHttpServer, type ListenerContext } from "./node-adapter.ts";
import { createIds } from "./request-ids.ts";
import { createSchemeFinder, createSecureTest } from "./secure-connection.ts";
import { createSenderFinder } from "./sender.ts";

/** A server that is listening. */
export interface Listening {
  /** Where it can be reached from this machine, for example `"http://127.0.0.1:8080"`. */
  readonly url: string;
  /** The same of the admin listener; undefined where there is none. */
  readonly adminUrl: string | undefined;
  /**
   * Stops taking connections and finishes what has begun. Resolves to true when everything was
   * answered within the time of the settings, to false when connections had to be cut.
   */
  close(): Promise<boolean>;
  /** Connections that are read directly: only these can be ended between two requests. */
  connections(): number;
  /** Ends what is too many, each with its next answer: their callers come back to whoever has room. The latest call counts. */
  shed(surplus: Rebalance): void;
}

/** What a server is made of. */
export interface ServerOptions {
  readonly config: Config;
  readonly log: Logger;
  /** Random text that tells the request ids of two processes apart. */
  readonly idPrefix: string;
  /** The site, given what happens at the connections of the server. */
  site(traffic: Readonly<ConnectionTracker>): App;
}

/**
 * Starts a server.
 *
 * @throws {Error} with the system's code (`EADDRINUSE`, `EACCES`, …) when it cannot listen.
 */
export async function listen({ config, log, idPrefix, site }: ServerOptions): Promise<Listening> {
  const traffic = new ConnectionTracker();
  const edge: ListenerContext = {
    site: site(traffic),
    config,
    bodies: new BodyBudget(config.bodiesBytesMax),
    isAdmin: false,
    traffic,
    findSender: createSenderFinder(config.trustedProxies),
    isSecure: createSecureTest(config),
    findScheme: createSchemeFinder(config.trustedProxies),
    nextId: createIds(idPrefix),
    isDraining: () => traffic.isDraining,
    logClientError: (code) => {
      traffic.countBad(code);
      log.info({ code }, "not a request");
    },
    logBug: (reason) => {
      traffic.bugs += 1;
      log.error({ cause: String(reason) }, "error outside of a call");
    },
  };
  const main = await openListener(edge, traffic, config);
  const admin = await openAdminListener({ ...edge, isAdmin: true }, traffic, main);
  const endWatch = watchDescriptors(log);
  const listeners = admin === undefined ? [main] : [main, admin];
  traffic.countConnections = () => countConnections(listeners);
  return {
    url: main.url,
    adminUrl: admin?.url,
    close: async () => {
      traffic.isDraining = true;
      endWatch();
      const closed = await Promise.all(
        listeners.map((listener) => closeListener(listener, config.shutdownTimeoutMs)),
      );
      return closed.every(Boolean);
    },
    connections: () => main.direct.size,
    shed: (surplus) => {
      traffic.surplus = surplus;
    },
  };
}

/** An address that is listened at. */
interface Listener {
  readonly server: Server;
  readonly direct: ReadonlySet<FastConnection>;
  readonly url: string;
}

async function openListener(
  edge: ListenerContext,
  traffic: ConnectionTracker,
  { host, port }: Pick<Config, "host" | "port">,
): Promise<Listener> {
  const server = createHttpServer(edge);
  const direct = attachFastPath(server, edge);
  server.on("drop", () => {
    traffic.dropped += 1;
  });
  server.listen(port, host);
  await once(server, "listening");
  return { server, direct, url: urlOf(server, host) };
}

/** Opens the admin listener, where there is one; closes the other where it cannot. */
async function openAdminListener(
  edge: ListenerContext,
  traffic: ConnectionTracker,
  main: Listener,
): Promise<Listener | undefined> {
  const { adminHost: host, adminPort: port } = edge.config;
  if (port === "off") return undefined;
  try {
    return await openListener(edge, traffic, { host, port });
  } catch (cause) {
    main.server.close();
    throw cause;
  }
}

async function countConnections(listeners: readonly Listener[]) {
  const counts = { direct: 0, node_http: 0 };
  for (const { server, direct } of listeners) {
    const all = await promisify(server.getConnections.bind(server))();
    counts.direct += direct.size;
    counts.node_http += Math.max(0, all - direct.size);
  }
  return counts;
}

/** Turns of the event loop in which what was there before the end is still taken: connections, one in a turn, and their requests. */
const lastTurns = 32;

async function closeListener({ server, direct }: Listener, timeoutMs: number): Promise<boolean> {
  if (!server.listening) return true;
  const closed = once(server, "close").then(() => true);
  for (let turn = 0; turn < lastTurns; turn += 1) await setImmediate();
  server.close();
  server.closeIdleConnections();
  for (const connection of direct) connection.endIfIdle();
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => {
    server.closeAllConnections();
    for (const connection of direct) connection.cut();
    resolve(false);
  }, timeoutMs);
  const inTime = await Promise.race([closed, late]);
  clearTimeout(timer);
  return inTime;
}

function urlOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  const reachable = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}
