import type { HttpResponse } from "../../bindings/http.ts";

/** Paths of the pages that tell a balancer or an orchestrator how the server is. */
const healthPath = "/healthz";
/** As {@link healthPath}; false from the moment the server begins to go down. */
const readyPath = "/readyz";

/**
 * The health pages by path: `/healthz` says that the process answers, `/readyz` that it wants requests.
 *
 * @param readiness `ready`, or one word for the reason why not.
 */
export function healthPages(readiness: () => string): ReadonlyMap<string, () => HttpResponse> {
  return new Map([
    [healthPath, () => report("ready")],
    [readyPath, () => report(readiness())],
  ]);
}

function report(readiness: string): HttpResponse {
  const good = readiness === "ready";
  return {
    status: good ? 200 : 503,
    headers: ["Cache-Control", "no-store", "Content-Type", "application/json; charset=utf-8"],
    body: JSON.stringify(good ? { status: "ok" } : { status: "unavailable", reason: readiness }),
  };
}
