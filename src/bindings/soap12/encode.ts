import type { NamedService } from "../binding.ts";
import { compileSoapEncode, type EncodeCall } from "../soap/encode.ts";
import { soap12Version } from "../soap/versions.ts";

/** Compiles the answers of SOAP 1.2 for a service. */
export function compileEncode(service: NamedService): EncodeCall {
  return compileSoapEncode(service, soap12Version);
}
