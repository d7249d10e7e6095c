import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import type { Handle } from "../../../migration/http.ts";
import type { Recognize } from "../../../migration/recognize.ts";
import { Router } from "../../../migration/route/router.ts";
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
  /** Resolves to true when requests under way are done. */
  close(): Promise<boolean>;
}

/**
 * Routes requests by a file, and follows its changes.
 *
 * @throws {CommandError} when the file is not valid, or an address cannot be used.
 */
export async function startRouting(file: string, recognize: Recognize, log: Log): Promise<Routing> {
  const hasChanged = watchContent(file);
  const routes = readRouteFile(file);
  const metrics = new RouteMetrics();
  const router = new Router(routes, recognize, {
    onAttempt: (attempt) => {
      metrics.onAttempt(attempt);
      const { side, operation, error } = attempt;
      if (error !== undefined) log.warn({ side, operation, error }, "no response");
    },
    onFallback: metrics.onFallback,
    onBreaker: (side, state) => log.warn({ side, state }, `circuit ${state}`),
  });
  const follow = follower(file, routes, router, log);
  const admin = await startListener(
    routes.metrics,
    showMetrics(metrics, router),
    `metrics in ${file}`,
  );
  const setting = `listen in ${file}`;
  const main = await startListener(routes.listen, router.handle, setting).catch(async (cause) => {
    await admin.close();
    throw cause;
  });
  const watching = setInterval(() => hasChanged() && follow(), watchMs);
  for (const warning of warningsOf(routes)) log.warn(warning);
  const { old, new: ours } = routes;
  log.info(
    {
      url: main.url,
      metrics: `${admin.url}/metrics`,
      old: old.origin,
      new: ours.origin,
      allBack: everythingBack(file),
    },
    "routing",
  );
  return {
    url: main.url,
    metricsUrl: admin.url,
    reload: follow,
    close: async () => {
      clearInterval(watching);
      await main.close();
      await admin.close();
      return true;
    },
  };
}

/**
 * A function that says whether a file has other content since it was last true, and the same as with the last call: a
 * file may be half written.
 */
function watchContent(file: string): () => boolean {
  const read = () => {
    try {
      return readFileSync(file, "utf8");
    } catch {
      return undefined;
    }
  };
  let used = read();
  let seen = used;
  return () => {
    const before = seen;
    seen = read();
    if (seen === used || seen !== before) return false;
    used = seen;
    return true;
  };
}

/** A function that reads the file and uses its routes; one that is not valid changes nothing. */
function follower(file: string, first: Routes, router: Router, log: Log): () => void {
  let current = first;
  return () => {
    try {
      const next = readRouteFile(file);
      const [places, before] = [next, current].map(({ listen, metrics }) => [listen, metrics]);
      if (!isDeepStrictEqual(places, before))
        throw new CommandError("listen and metrics only change with a restart.");
      const difference = compareRoutes(file, current, next);
      if (difference === undefined) return log.info("the routes are the same");
      router.use(next);
      current = next;
      for (const warning of warningsOf(next)) log.warn(warning);
      log.info({ ...difference, allBack: everythingBack(file) }, "routes changed");
    } catch (cause) {
      if (!(cause instanceof CommandError)) throw cause;
      log.error(
        { problem: cause.message },
        "the route file cannot be used; the routes stay as they were",
      );
    }
  };
}

/** `/metrics` for Prometheus, and `/healthz` for load balancers: 503 while neither side responds. */
function showMetrics(metrics: RouteMetrics, router: Router): Handle {
  const pages: Readonly<Record<string, () => Promise<string>>> = {
    "/metrics": () => metrics.render(router),
    "/healthz": async () => JSON.stringify(router.circuits),
  };
  return async (request, response) => {
    const page = pages[request.url ?? ""];
    const isDown = request.url === "/healthz" && !Object.values(router.circuits).includes("closed");
    response.writeHead(page === undefined ? 404 : isDown ? 503 : 200, {
      "Content-Type": "text/plain; charset=utf-8",
      "Cache-Control": "no-store",
    });
    response.end(page === undefined ? "Not found\n" : await page());
  };
}
