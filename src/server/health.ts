import type { HttpResponse } from "../bindings/http.ts";

/** Paths of the pages that tell a balancer or an orchestrator how the server is. */
const healthPath = "/healthz";
/** As {@link healthPath}; false from the moment the server begins to go down. */
const readyPath = "/readyz";

/** The health pages by path: `/healthz` says that the process answers, `/readyz` that it wants requests. */
export function healthPages(isReady: () => boolean): ReadonlyMap<string, () => HttpResponse> {
  return new Map([
    [healthPath, () => report(true)],
    [readyPath, () => report(isReady())],
  ]);
}

function report(good: boolean): HttpResponse {
  return {
    status: good ? 200 : 503,
    headers: ["Cache-Control", "no-store", "Content-Type", "application/json; charset=utf-8"],
    body: JSON.stringify({ status: good ? "ok" : "unavailable" }),
  };
}
