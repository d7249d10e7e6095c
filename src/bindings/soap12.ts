import { acceptsAs, type Binding, type BindingOptions, type NamedService } from "./binding.ts";
import { compileSoapDecode } from "./soap/decode.ts";
import { compileSoapEncode, describeSoapRequest } from "./soap/encode.ts";
import { compileSoapFault, type FaultContent } from "./soap/fault.ts";
import type { EnvelopeStyle } from "./soap/stack.ts";
import { soap12Version } from "./soap/versions.ts";

/** SOAP 1.2 over HTTP (contract §4.2; SOAP 1.2 Part 2 §7): a POST of application/soap+xml to the address of the service. */
export function soap12(service: NamedService, options: BindingOptions = {}): Binding {
  return {
    name: "soap12",
    accepts: acceptsAs("soap12"),
    // A SOAP 1.1 envelope is refused (wire case `s12-env11-in-12`).
    decode: compileSoapDecode(service, [soap12Version], options),
    encode: compileSoapEncode(service, soap12Version),
    encodeFault: compileSoapFault(service, soap12Version, {
      content: faultContent,
      header: () => "",
    }),
    describeRequest: (operation) => describeSoapRequest(service, soap12Version, operation),
  };
}

/** SOAP 1.2 Part 1 §5.4. A code of the stack's own is a subcode. */
function faultContent(fault: FaultContent, { prefix, faultLanguage }: EnvelopeStyle): string {
  const { code, ownCode, text, detail } = fault;
  const subcode =
    ownCode === undefined
      ? ""
      : `<${prefix}:Subcode><${prefix}:Value xmlns:a="${ownCode.namespace}">a:${ownCode.name}</${prefix}:Value></${prefix}:Subcode>`;
  const value = `<${prefix}:Value>${prefix}:${code}</${prefix}:Value>`;
  const reason = `<${prefix}:Text xml:lang="${faultLanguage.soap12}">${text}</${prefix}:Text>`;
  return `<${prefix}:Code>${value}${subcode}</${prefix}:Code><${prefix}:Reason>${reason}</${prefix}:Reason>${detail(`${prefix}:Detail`)}`;
}
