import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import type { Server } from "node:http";
import { devNull } from "node:os";
import { promisify } from "node:util";
import type { Logger } from "pino";
import { drain, stopAccepting } from "../../lib/drain.ts";
import { type StartTimer, startTimer } from "../../lib/timer.ts";
import { attachFastPath, type FastConnection } from "../fast-path/fast-connection.ts";
import { ConnectionTracker } from "../metrics/state-metrics.ts";
import { localUrlOf } from "../settings/config.ts";
import type { Config } from "../settings/settings.ts";
import type { App } from "./app.ts";
import { createHttpServer, type ListenerContext } from "./node-adapter.ts";
import { BodyBudget } from "./request-body.ts";

/** A server that is listening. */
export interface Listening {
  /** Where this machine reaches it, for example `"http://127.0.0.1:8080"`. */
  readonly url: string;
  /** The same for the admin listener; undefined without one. */
  readonly adminUrl: string | undefined;
  /** Lets proxies go elsewhere before `close`, in up to two WFH_DRAIN_MS (decision 0068). */
  drain(): Promise<void>;
  /**
   * Stops accepting connections and finishes the requests that have begun. Resolves to true when
   * every response was sent in time, to false when connections had to be cut.
   *
   * @param timeoutMs by default WFH_SHUTDOWN_TIMEOUT_MS.
   */
  close(timeoutMs?: number): Promise<boolean>;
}

/** Collaborators of a server. */
interface ListenOptions {
  /** Counts what happens at the connections. */
  readonly tracker?: ConnectionTracker;
  /** Descriptor of a listening socket, which takes the place of WFH_HOST and WFH_PORT. */
  readonly socket?: number | undefined;
  /** Starts the timers of a drain. */
  readonly after?: StartTimer;
}

/**
 * Starts a server and, with WFH_ADMIN_PORT, its admin listener.
 *
 * @throws {Error} with the system's code (`EADDRINUSE`, `EACCES`, …) when it cannot listen.
 */
export async function listen(
  config: Config,
  log: Logger,
  app: App,
  { tracker = new ConnectionTracker(), socket, after = startTimer }: ListenOptions = {},
): Promise<Listening> {
  const context: ListenerContext = {
    app,
    config,
    bodies: new BodyBudget(config.bodiesBytesMax),
    isAdmin: false,
    tracker,
    onBadRequest: (code) => {
      tracker.countBad(code);
      log.info({ code }, "not a request");
    },
    onBug: (reason) => {
      tracker.bugs += 1;
      log.error({ cause: String(reason) }, "error outside of a call");
    },
  };
  const { host, port, adminHost, adminPort } = config;
  const main = await openListener(context, socket === undefined ? { host, port } : { fd: socket });
  const listeners = [main];
  let admin: Listener | undefined;
  if (adminPort !== "off") {
    try {
      const address = { host: adminHost, port: adminPort };
      admin = await openListener({ ...context, isAdmin: true }, address);
    } catch (cause) {
      main.server.close();
      throw cause;
    }
    listeners.push(admin);
  }
  tracker.countConnections = () => countConnections(listeners);
  const stopWatch = watchDescriptors(log);
  return {
    url: main.url,
    adminUrl: admin?.url,
    drain: async () => {
      const { drainMs } = config;
      if (drainMs === 0) return;
      tracker.startDraining();
      const servers = listeners.map(({ server }) => server);
      await drain(servers, drainMs, after, () => {
        tracker.endsConnections = true;
      });
    },
    close: async (timeoutMs = config.shutdownTimeoutMs) => {
      tracker.startDraining();
      tracker.endsConnections = true;
      stopWatch();
      const closed = await Promise.all(
        listeners.map((listener) => closeListener(listener, timeoutMs)),
      );
      return closed.every(Boolean);
    },
  };
}

interface Listener {
  readonly server: Server;
  /** Connections on the fast path. */
  readonly direct: ReadonlySet<FastConnection>;
  readonly url: string;
  /** Resolves once it accepts no connections and all have ended. */
  readonly closed: Promise<true>;
}

async function openListener(
  context: ListenerContext,
  address: { readonly host: string; readonly port: number } | { readonly fd: number },
): Promise<Listener> {
  const server = createHttpServer(context);
  const direct =
    context.config.fastPath === "on" ? attachFastPath(server, context) : new Set<FastConnection>();
  server.on("drop", () => {
    context.tracker.dropped += 1;
  });
  server.listen(address);
  await once(server, "listening");
  const closed = once(server, "close").then((): true => true);
  const bound = server.address();
  if (bound === null || typeof bound === "string") {
    server.close();
    throw new Error(
      "The server needs a TCP socket: set ListenStream= to a port, or an address and a port.",
    );
  }
  const host = "host" in address ? address.host : bound.address;
  return { server, direct, url: localUrlOf(host, bound.port), closed };
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

async function closeListener(listener: Listener, timeoutMs: number): Promise<boolean> {
  const { server, direct, closed } = listener;
  await stopAccepting(server);
  // The listener is already closed; this closes node:http's idle connections and stops its timers.
  server.close();
  for (const connection of direct) connection.endIfIdle();
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => {
    server.closeAllConnections();
    for (const connection of direct) connection.destroy();
    resolve(false);
  }, timeoutMs);
  const inTime = await Promise.race([closed, late]);
  clearTimeout(timer);
  return inTime;
}

/** Interval between two checks for free file descriptors, in milliseconds; one costs some 10 µs. */
const checkIntervalMs = 1_000;
/** Checks after which a lack that lasts is logged again. */
const checksPerLine = 60;
const fix = "raise LimitNOFILE in systemd, or ulimit -n; or set a lower WFH_CONNECTIONS_MAX";

/**
 * Logs a lack of file descriptors, when libuv silently closes connections; returns what stops it.
 *
 * @param open opens a file and closes it again.
 */
export function watchDescriptors(
  log: Pick<Logger, "error">,
  open = () => closeSync(openSync(devNull, "r")),
): () => void {
  let silentChecks = 0;
  const timer = setInterval(() => {
    silentChecks -= 1;
    try {
      open();
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      if ((code !== "EMFILE" && code !== "ENFILE") || silentChecks > 0) return;
      silentChecks = checksPerLine;
      log.error({ code, fix }, "no file descriptors are left: new connections are closed at once");
    }
  }, checkIntervalMs).unref();
  return () => clearInterval(timer);
}
