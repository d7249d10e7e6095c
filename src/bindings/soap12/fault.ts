import type { Fault, FaultCode, ResponseForm } from "../../fault.ts";
import type { NamedService } from "../binding.ts";
import type { HttpResponse } from "../http.ts";
import { compileSoapFault } from "../soap/fault.ts";
import { soap12Version } from "../soap/versions.ts";

/** SOAP 1.2 Part 1 §5.4.6 names for our fault codes. */
const values: Readonly<Record<FaultCode, string>> = {
  sender: "Sender",
  "unknown-operation": "Sender",
  "unreadable-part": "Sender",
  forbidden: "Sender",
  malformed: "Sender",
  "too-large": "Sender",
  "unsupported-media": "Sender",
  "version-mismatch": "VersionMismatch",
  "must-understand": "MustUnderstand",
  busy: "Receiver",
  unavailable: "Receiver",
  receiver: "Receiver",
};

/** Compiles the answers of SOAP 1.2 to faults for a service. */
export function compileEncodeFault(
  service: NamedService,
): (fault: Fault, answer: ResponseForm) => HttpResponse {
  return compileSoapFault(service, {
    version: soap12Version,
    write: ({ code, own, text, hasDetail }, { prefix, faultLanguage }) => {
      const subcode =
        own === undefined
          ? ""
          : `<${prefix}:Subcode><${prefix}:Value xmlns:a="${own.namespace}">a:${own.name}</${prefix}:Value></${prefix}:Subcode>`;
      const value = `<${prefix}:Value>${prefix}:${values[code]}</${prefix}:Value>`;
      const reason = `<${prefix}:Text xml:lang="${faultLanguage.soap12}">${text}</${prefix}:Text>`;
      const detail = hasDetail ? `<${prefix}:Detail />` : "";
      return `<${prefix}:Code>${value}${subcode}</${prefix}:Code><${prefix}:Reason>${reason}</${prefix}:Reason>${detail}`;
    },
    header: () => "",
  });
}
