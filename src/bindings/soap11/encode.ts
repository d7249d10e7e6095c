import type { NamedService } from "../binding.ts";
import { compileSoapEncode, type EncodeCall } from "../soap/encode.ts";
import { soap11Version } from "../soap/versions.ts";

/** Compiles the answers of SOAP 1.1 for a service. */
export function compileEncode(service: NamedService): EncodeCall {
  return compileSoapEncode(service, soap11Version);
}
