import { escapeText } from "../../codec/xml/escape.ts";
import { bindings } from "../../contract/bindings.ts";
import { type Fault, type FaultCode, messageSeparator } from "../../fault.ts";
import { type Binding, commonStatuses, errorCaching } from "../binding.ts";
import { addressedStart, envelopeEnd, envelopeStart } from "./encode.ts";
import { addressingNamespace } from "./envelope.ts";
import type { SoapService, SoapStack } from "./stack.ts";
import { type SoapCode, type SoapVersion, soap11Version, soap12Version } from "./versions.ts";

/** SOAP's own code of each fault. */
const soapCodes: Readonly<Record<FaultCode, SoapCode>> = {
  sender: "sender",
  "unknown-operation": "sender",
  "not-found": "sender",
  "unreadable-part": "sender",
  forbidden: "sender",
  unauthorized: "sender",
  "forbidden-token": "sender",
  malformed: "sender",
  "too-large": "sender",
  "unsupported-media": "sender",
  "version-mismatch": "version-mismatch",
  "must-understand": "must-understand",
  busy: "receiver",
  unavailable: "receiver",
  receiver: "receiver",
};

/** WS-Addressing 1.0 SOAP Binding §6: the action of a response that carries a fault. */
const faultAction = `${addressingNamespace}/fault`;

/** Compiles the fault responses of one version for a service. */
export function compileSoapFault({ stack, version }: SoapService): Binding["encodeFault"] {
  const { style } = stack;
  const { faultContentType } = bindings[version.binding];
  const headers = ["Cache-Control", errorCaching, "Content-Type", faultContentType];
  return (fault, { addressing }) => {
    const { code } = fault;
    const header = version.binding === "soap11" && code === "version-mismatch" ? upgradeHeader : "";
    const start =
      addressing === undefined
        ? envelopeStart(version, style, header)
        : addressedStart(version, style, faultAction, addressing);
    const content = faultContents[version.binding](fault, stack, version);
    const body = `${start}<${style.prefix}:Fault>${content}</${style.prefix}:Fault>${envelopeEnd(style)}`;
    // Clients in the field lose the fault of a call that comes with 400 (decision 0006).
    return { status: commonStatuses[code] ?? 500, headers, body };
  };
}

type FaultContent = (fault: Fault, stack: SoapStack, version: SoapVersion) => string;

/** The content of the Fault element in each version. */
const faultContents: Readonly<Record<SoapVersion["binding"], FaultContent>> = {
  /** SOAP 1.1 §4.4. A code of the stack's own replaces that of SOAP. */
  soap11: (fault, stack, { codes }) => {
    const { prefix, faultLanguage } = stack.style;
    const ownCode = stack.subcodes[fault.code];
    const code =
      ownCode === undefined
        ? `<faultcode>${prefix}:${codes[soapCodes[fault.code]]}</faultcode>`
        : `<faultcode xmlns:a="${ownCode.namespace}">a:${ownCode.name}</faultcode>`;
    const language = faultLanguage.soap11 === "" ? "" : ` xml:lang="${faultLanguage.soap11}"`;
    const text = `<faultstring${language}>${textOf(fault, stack)}</faultstring>`;
    return code + text + faultDetail(fault, stack, "detail");
  },
  /** SOAP 1.2 Part 1 §5.4. A code of the stack's own is a subcode. */
  soap12: (fault, stack, { codes }) => {
    const { prefix, faultLanguage } = stack.style;
    const ownCode = stack.subcodes[fault.code];
    const subcode =
      ownCode === undefined
        ? ""
        : `<${prefix}:Subcode><${prefix}:Value xmlns:a="${ownCode.namespace}">a:${ownCode.name}</${prefix}:Value></${prefix}:Subcode>`;
    const value = `<${prefix}:Value>${prefix}:${codes[soapCodes[fault.code]]}</${prefix}:Value>`;
    const reason = `<${prefix}:Text xml:lang="${faultLanguage.soap12}">${textOf(fault, stack)}</${prefix}:Text>`;
    return `<${prefix}:Code>${value}${subcode}</${prefix}:Code><${prefix}:Reason>${reason}</${prefix}:Reason>${faultDetail(fault, stack, `${prefix}:Detail`)}`;
  },
};

function textOf({ code, messages }: Fault, { refuse }: SoapStack): string {
  return escapeText((code === "receiver" ? refuse.internal : messages).join(messageSeparator));
}

/** Detail of a fault about the Body; others have none (SOAP 1.1 §4.4, SOAP 1.2 Part 1 §5.4.5). */
function faultDetail({ code }: Fault, { style }: SoapStack, element: string): string {
  return style.faultDetail && code !== "must-understand" ? `<${element}${style.emptyEnd}` : "";
}

/** Header with the understood versions (SOAP 1.2 Part 1 §5.4.7), as on the reference stack. */
const upgradeHeader = (() => {
  const supported = [
    ["soap", soap11Version.envelopeNamespace],
    ["soap12", soap12Version.envelopeNamespace],
  ].map(
    ([prefix, namespace]) =>
      `<soap12:SupportedEnvelope qname="${prefix}:Envelope" xmlns:${prefix}="${namespace}" />`,
  );
  const upgrade = `<soap12:Upgrade xmlns:soap12="${soap12Version.envelopeNamespace}">`;
  return `<soap:Header>${upgrade}${supported.join("")}</soap12:Upgrade></soap:Header>`;
})();
