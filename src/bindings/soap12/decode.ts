import type { Call, NamedService } from "../binding.ts";
import type { HttpRequest } from "../http.ts";
import { compileSoapDecode } from "../soap/decode.ts";
import { soap12Version } from "../soap/versions.ts";

/** Compiles the reading of application/soap+xml requests; a SOAP 1.1 envelope is refused (wire case `s12-env11-in-12`). */
export function compileDecode(service: NamedService): (request: HttpRequest) => Call {
  return compileSoapDecode(service, [soap12Version]);
}
