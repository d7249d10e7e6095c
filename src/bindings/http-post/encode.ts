import type { Call, NamedService } from "../binding.ts";
import { compileFormEncode } from "../form/encode.ts";
import type { HttpResponse } from "../http.ts";

/** Compiles the answers of HTTP POST for a service. */
export function compileEncode(
  service: NamedService,
): (call: Call, result: unknown) => HttpResponse {
  return compileFormEncode(service, "http-post");
}
