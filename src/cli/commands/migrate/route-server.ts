import { readFileSync } from "node:fs";
import type { Handle, ListenAddress } from "../../../migration/listener.ts";
import { type Calls, Router } from "../../../migration/route/router.ts";
import { type Routes, warningsOf } from "../../../migration/route/routes.ts";
import type { Log } from "../../../server/log.ts";
import { CommandError } from "../../exit-codes.ts";
import { startListener } from "./options.ts";
import { compareRoutes, everythingBack, readRouteFile } from "./route-file.ts";
import { RouteMetrics } from "./route-metrics.ts";

/** How often the file is looked at, in milliseconds. */
const watchMs = 250;

/** Requests are being routed. */
export interface Routing {
  /** Where requests are taken, and where metrics are shown. */
  readonly url: string;
  readonly metricsUrl: string;
  /** Reads the file again. */
  reload(): void;
  /** Drains; resolves to true when requests under way are done, to false if some had to be cut off. */
  close(drainMs?: number): Promise<boolean>;
}

/**
 * Routes requests by a file, and follows its changes.
 *
 * @throws {CommandError} when the file is not valid, or an address cannot be used.
 */
export async function startRouting(file: string, calls: Calls, log: Log): Promise<Routing> {
  let used = readText(file);
  let seen = used;
  const routes = readRouteFile(file);
  const metrics = new RouteMetrics();
  const router = new Router(routes, calls, {
    onAttempt: (attempt) => {
      metrics.add(attempt);
      const { side, operation, error } = attempt;
      if (error !== undefined) log.warn({ side, operation, error }, "no response");
    },
    onCircuit: (side, isOpen) => log.warn({ side }, `circuit ${isOpen ? "open" : "closed"}`),
  });
  const listen = (key: "listen" | "metrics", handle: Handle) =>
    startListener(toListenAddress(routes[key]), handle, `${key} in ${file}`);
  const admin = await listen("metrics", showMetrics(metrics, router));
  const main = await listen("listen", router.handle).catch(async (cause) => {
    await admin.close();
    throw cause;
  });
  const reload = createReload(file, routes, router, log);
  const watching = setInterval(() => {
    const before = seen;
    seen = readText(file);
    // The same twice: it may be half written.
    if (seen === used || seen !== before) return;
    used = seen;
    reload();
  }, watchMs);
  for (const warning of warningsOf(routes)) log.warn(warning);
  const { old, new: ours } = routes.texts;
  const allBack = everythingBack(file);
  log.info({ url: main.url, metrics: `${admin.url}/metrics`, old, new: ours, allBack }, "routing");
  return {
    url: main.url,
    metricsUrl: admin.url,
    reload,
    close: async (drainMs) => {
      clearInterval(watching);
      const isDone = await main.close(drainMs);
      await admin.close();
      return isDone;
    },
  };
}

function toListenAddress({ hostname, port }: URL): ListenAddress {
  return { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port || 80) };
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

/** A function that reads the file and uses its routes; one that is not valid changes nothing. */
function createReload(file: string, first: Routes, router: Router, log: Log): () => void {
  let current = first;
  return () => {
    try {
      const next = readRouteFile(file);
      if (["listen", "metrics"].some((key) => next.texts[key] !== first.texts[key]))
        log.warn("listen and metrics only change with a restart; all else is used");
      const difference = compareRoutes(file, current, next);
      if (difference === undefined) return log.info("the routes are the same");
      router.use(next);
      current = next;
      for (const warning of warningsOf(next)) log.warn(warning);
      log.info({ ...difference, allBack: everythingBack(file) }, "routes changed");
    } catch (cause) {
      if (!(cause instanceof CommandError)) throw cause;
      const problem = cause.message;
      log.error({ problem }, "the route file cannot be used; the routes stay as they were");
    }
  };
}

/** `/metrics` for Prometheus, and `/healthz` for load balancers: 503 while neither side responds. */
function showMetrics(metrics: RouteMetrics, router: Router): Handle {
  const headers = ["Content-Type", "text/plain; charset=utf-8", "Cache-Control", "no-store"];
  return async ({ url }, response) => {
    const { circuits } = router;
    const isUp = Object.values(circuits).includes("closed");
    const send = (status: number, body: string) => response.writeHead(status, headers).end(body);
    if (url === "/metrics") send(200, await metrics.render(circuits));
    else if (url === "/healthz") send(isUp ? 200 : 503, JSON.stringify(circuits));
    else send(404, "Not found\n");
  };
}
