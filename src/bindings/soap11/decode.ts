import type { Call, NamedService } from "../binding.ts";
import type { HttpRequest } from "../http.ts";
import { compileSoapDecode } from "../soap/decode.ts";
import { soap11Version, soap12Version } from "../soap/versions.ts";

/** Compiles the reading of text/xml requests. SOAP 1.2 envelopes may come that way too (wire case `s11-env12-in-11`). */
export function compileDecode(service: NamedService): (request: HttpRequest) => Call {
  return compileSoapDecode(service, [soap11Version, soap12Version]);
}
