import type { HttpResponse } from "../../bindings/http.ts";
import type { PageHandler } from "../http/app.ts";
import type { Log } from "../log.ts";

/**
 * The health pages by path, for load balancers and orchestrators: `/healthz` reports that the
 * process responds, `/readyz` that it accepts requests, which ends when the shutdown begins.
 *
 * @param readiness `ready`, or one word for the reason why not.
 */
export function healthPages(readiness: () => string): ReadonlyMap<string, PageHandler> {
  return new Map<string, PageHandler>([
    ["/healthz", () => report("ready")],
    ["/readyz", Object.assign(() => report(readiness()), { isProbe: true })],
  ]);
}

/** Logs each change of the readiness that a caller is told. */
export function logChanges(readiness: () => string, log: Pick<Log, "info">): () => string {
  let before = "ready";
  return () => {
    const now = readiness();
    if (now !== before) log.info({ before, now }, "readiness has changed");
    before = now;
    return now;
  };
}

function report(readiness: string): HttpResponse {
  const isReady = readiness === "ready";
  return {
    status: isReady ? 200 : 503,
    headers: ["Cache-Control", "no-store", "Content-Type", "application/json; charset=utf-8"],
    body: JSON.stringify(isReady ? { status: "ok" } : { status: "unavailable", reason: readiness }),
  };
}
