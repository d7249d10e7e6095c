import { errorCaching } from "../bindings/binding.ts";
import type { HttpResponse } from "../bindings/http.ts";
import type { ServiceContract } from "../contract/operation.ts";
import { renderHelpPage } from "../metadata/help-page.ts";

/** Makes what a GET of a service's own address shows; rendered once. */
export function helpDocument(contract: ServiceContract): () => HttpResponse {
  const page: HttpResponse = {
    status: 200,
    headers: ["Cache-Control", errorCaching, "Content-Type", "text/html; charset=utf-8"],
    body: renderHelpPage(contract),
    policy: "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  };
  return () => page;
}
