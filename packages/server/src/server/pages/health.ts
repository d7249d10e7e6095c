import type { HttpResponse } from "../../bindings/http.ts";

/**
 * The health pages by path, for load balancers and orchestrators: `/healthz` reports that the
 * process responds, `/readyz` that it accepts requests, which ends when the shutdown begins.
 *
 * @param readiness `ready`, or one word for the reason why not.
 */
export function healthPages(readiness: () => string): ReadonlyMap<string, () => HttpResponse> {
  return new Map([
    ["/healthz", () => report("ready")],
    ["/readyz", () => report(readiness())],
  ]);
}

function report(readiness: string): HttpResponse {
  const isReady = readiness === "ready";
  return {
    status: isReady ? 200 : 503,
    headers: ["Cache-Control", "no-store", "Content-Type", "application/json; charset=utf-8"],
    body: JSON.stringify(isReady ? { status: "ok" } : { status: "unavailable", reason: readiness }),
  };
}
