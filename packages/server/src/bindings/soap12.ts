import type { Binding, BindingOptions, NamedService } from "./binding.ts";
import { compileSoap } from "./soap/binding.ts";
import { soap12Version } from "./soap/versions.ts";

/**
 * SOAP 1.2 over HTTP (contract §4.2; SOAP 1.2 Part 2 §7): application/soap+xml posted to the
 * address of the service. A SOAP 1.1 envelope is refused (wire case `s12-env11-in-12`).
 */
export function soap12(service: NamedService, options: BindingOptions = {}): Binding {
  return compileSoap(service, soap12Version, [soap12Version], options);
}
