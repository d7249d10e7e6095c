import { escapeAttribute } from "../codec/xml/escape.ts";
import { acceptsAs, type Binding, type BindingOptions, type NamedService } from "./binding.ts";
import { compileSoapDecode } from "./soap/decode.ts";
import { compileSoapEncode, describeSoapRequest } from "./soap/encode.ts";
import { compileSoapFault, type FaultContent } from "./soap/fault.ts";
import type { EnvelopeStyle } from "./soap/stack.ts";
import { soap11Version, soap12Version } from "./soap/versions.ts";

/** SOAP 1.1 over HTTP (contract §4.2; SOAP 1.1 §6): a POST of text/xml to the address of the service. */
export function soap11(service: NamedService, options: BindingOptions = {}): Binding {
  return {
    name: "soap11",
    accepts: acceptsAs("soap11"),
    // SOAP 1.2 envelopes may come as text/xml too (wire case `s11-env12-in-11`).
    decode: compileSoapDecode(service, [soap11Version, soap12Version], options),
    encode: compileSoapEncode(service, soap11Version),
    encodeFault: compileSoapFault(service, soap11Version, {
      content: faultContent,
      header: (code) => (code === "version-mismatch" ? upgradeHeader : ""),
    }),
    describeRequest: (operation) => describeSoapRequest(service, soap11Version, operation),
  };
}

/** SOAP 1.1 §4.4. A code of the stack's own stands in the place of that of SOAP. */
function faultContent(fault: FaultContent, { prefix, faultLanguage }: EnvelopeStyle): string {
  const { code, ownCode, text, detail } = fault;
  const faultcode =
    ownCode === undefined
      ? `<faultcode>${prefix}:${code}</faultcode>`
      : `<faultcode xmlns:a="${ownCode.namespace}">a:${ownCode.name}</faultcode>`;
  const language = faultLanguage.soap11 === "" ? "" : ` xml:lang="${faultLanguage.soap11}"`;
  return `${faultcode}<faultstring${language}>${text}</faultstring>${detail("detail")}`;
}

/** The versions that are understood (SOAP 1.2 Part 1 §5.4.7), in the form of the reference stack. */
const upgradeHeader = (() => {
  const supported = [
    { prefix: "soap", version: soap11Version },
    { prefix: "soap12", version: soap12Version },
  ].map(
    ({ prefix, version }) =>
      `<soap12:SupportedEnvelope qname="${prefix}:Envelope" ` +
      `xmlns:${prefix}="${escapeAttribute(version.envelopeNamespace)}" />`,
  );
  const upgrade = `<soap12:Upgrade xmlns:soap12="${soap12Version.envelopeNamespace}">`;
  return `<soap:Header>${upgrade}${supported.join("")}</soap12:Upgrade></soap:Header>`;
})();
