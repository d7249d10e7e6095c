import type { Binding, BindingOptions, NamedService } from "./binding.ts";
import { compileSoap } from "./soap/binding.ts";
import { soap11Version, soap12Version } from "./soap/versions.ts";

/**
 * SOAP 1.1 over HTTP (contract §4.2; SOAP 1.1 §6): text/xml posted to the address of the service.
 * SOAP 1.2 envelopes may come as text/xml too (wire case `s11-env12-in-11`).
 */
export function soap11(service: NamedService, options: BindingOptions = {}): Binding {
  return compileSoap(service, soap11Version, [soap11Version, soap12Version], options);
}
