import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import type { Logger } from "pino";
import { type DirectConnection, readDirectly } from "./direct-connection.ts";
import { createHttpServer, type Edge } from "./node-adapter.ts";
import { createSchemeFinder, createSecureTest } from "./secure-connection.ts";
import { createSenderFinder } from "./sender.ts";
import type { Config } from "./settings.ts";
import type { Site } from "./site.ts";
import { type Surplus, Traffic } from "./traffic.ts";

/** A server that is listening. */
export interface Listening {
  /** Where it can be reached from this machine, for example `"http://127.0.0.1:8080"`. */
  readonly url: string;
  /**
   * Stops taking connections and finishes what has begun. Resolves to true when everything was
   * answered within the time of the settings, to false when connections had to be cut.
   */
  close(): Promise<boolean>;
  /** Connections that are read directly: only these can be ended between two requests. */
  connections(): number;
  /** Ends what is too many, each with its next answer: their callers come back to whoever has room. The latest call counts. */
  shed(surplus: Surplus): void;
}

/** What a server is made of. */
export interface ServerParts {
  readonly config: Config;
  readonly log: Logger;
  /** Random text that tells the request ids of two processes apart. */
  readonly idPrefix: string;
  /** The site, given what happens at the connections of the server. */
  site(traffic: Readonly<Traffic>): Site;
}

/**
 * Starts a server.
 *
 * @throws {Error} with the system's code (`EADDRINUSE`, `EACCES`, …) when it cannot listen.
 */
export async function listen({ config, log, idPrefix, site }: ServerParts): Promise<Listening> {
  const traffic = new Traffic();
  let count = 0;
  const edge: Edge = {
    site: site(traffic),
    config,
    traffic,
    senderOf: createSenderFinder(config.trustedProxies),
    isSecure: createSecureTest(config),
    schemeOf: createSchemeFinder(config.trustedProxies),
    nextId: () => {
      count += 1;
      return idPrefix + count.toString(36);
    },
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
  const server = createHttpServer(edge);
  const direct = readDirectly(server, edge);
  server.on("drop", () => {
    traffic.dropped += 1;
  });
  traffic.countConnections = async () => {
    const all = await promisify(server.getConnections.bind(server))();
    return { direct: direct.size, node_http: Math.max(0, all - direct.size) };
  };
  server.listen(config.port, config.host);
  await once(server, "listening");
  return {
    url: urlOf(server, config.host),
    close: () => {
      traffic.isDraining = true;
      return closeServer(server, direct, config.shutdownTimeoutMs);
    },
    connections: () => direct.size,
    shed: (surplus) => {
      traffic.surplus = surplus;
    },
  };
}

/** Turns of the event loop in which what was there before the end is still taken: connections, one in a turn, and their requests. */
const lastTurns = 32;

async function closeServer(
  server: Server,
  direct: ReadonlySet<DirectConnection>,
  timeoutMs: number,
): Promise<boolean> {
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
