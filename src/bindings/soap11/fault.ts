import { escapeAttribute } from "../../codec/xml/escape.ts";
import type { Fault, FaultCode, ResponseForm } from "../../fault.ts";
import type { NamedService } from "../binding.ts";
import type { HttpResponse } from "../http.ts";
import { compileSoapFault } from "../soap/fault.ts";
import { soap11Version, soap12Version } from "../soap/versions.ts";

/** SOAP 1.1 §4.4.1 names for our fault codes. */
const faultcodes: Readonly<Record<FaultCode, string>> = {
  sender: "Client",
  "unknown-operation": "Client",
  "unreadable-part": "Client",
  forbidden: "Client",
  malformed: "Client",
  "too-large": "Client",
  "unsupported-media": "Client",
  "version-mismatch": "VersionMismatch",
  "must-understand": "MustUnderstand",
  busy: "Server",
  unavailable: "Server",
  receiver: "Server",
};

/** Compiles the answers of SOAP 1.1 to faults for a service. */
export function compileEncodeFault(
  service: NamedService,
): (fault: Fault, answer: ResponseForm) => HttpResponse {
  return compileSoapFault(service, {
    version: soap11Version,
    write: ({ code, own, text, hasDetail }, { prefix, faultLanguage }) => {
      const faultcode =
        own === undefined
          ? `<faultcode>${prefix}:${faultcodes[code]}</faultcode>`
          : `<faultcode xmlns:a="${own.namespace}">a:${own.name}</faultcode>`;
      const language = faultLanguage.soap11 === "" ? "" : ` xml:lang="${faultLanguage.soap11}"`;
      const faultstring = `<faultstring${language}>${text}</faultstring>`;
      return faultcode + faultstring + (hasDetail ? "<detail />" : "");
    },
    header: (code) => (code === "version-mismatch" ? upgradeHeader : ""),
  });
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
