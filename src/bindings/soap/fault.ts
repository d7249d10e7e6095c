import { escapeText } from "../../codec/xml/escape.ts";
import { bindings } from "../../contract/bindings.ts";
import { type Fault, type FaultCode, messageSeparator } from "../../fault.ts";
import { type Binding, commonStatuses, errorCaching, type NamedService } from "../binding.ts";
import { addressedStart, envelopeEnd, envelopeStart } from "./encode.ts";
import { addressingNamespace, stackOf } from "./envelope.ts";
import type { EnvelopeStyle, SoapStack } from "./stack.ts";
import type { SoapCode, SoapVersion } from "./versions.ts";

/** What a fault is in SOAP's own codes. */
const soapCodes: Readonly<Record<FaultCode, SoapCode>> = {
  sender: "sender",
  "unknown-operation": "sender",
  "unreadable-part": "sender",
  forbidden: "sender",
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

/** What a fault says, for a version of SOAP to lay out. */
export interface FaultContent {
  /** Name of SOAP's code in this version, without prefix. */
  readonly code: string;
  /** The code that the stack has beside that of SOAP. */
  readonly ownCode: SoapStack["subcodes"][FaultCode];
  /** Escaped. */
  readonly text: string;
  /** The detail as an element of the given name; `""` where the fault has none. */
  readonly detail: (element: string) => string;
}

/** How a version of SOAP lays out faults. */
export interface FaultLayout {
  /** Content of the Fault element. */
  content(fault: FaultContent, style: EnvelopeStyle): string;
  /** Header of the envelope; `""` for none. */
  header(code: FaultCode): string;
}

/** Compiles the fault responses of one version for a service. */
export function compileSoapFault(
  service: NamedService,
  version: SoapVersion,
  layout: FaultLayout,
): Binding["encodeFault"] {
  const stack = stackOf(service);
  const { style } = stack;
  const { faultContentType } = bindings[version.binding];
  const headers = ["Cache-Control", errorCaching, "Content-Type", faultContentType];
  return (fault, { addressing }) => {
    const { code } = fault;
    const messages = code === "receiver" ? stack.refuse.internal : fault.messages;
    const content = layout.content(
      {
        code: version.codes[soapCodes[code]],
        ownCode: stack.subcodes[code],
        text: escapeText(messages.join(messageSeparator)),
        detail: (element) => faultDetail(fault, element, style),
      },
      style,
    );
    const start =
      addressing === undefined
        ? envelopeStart(version, style, layout.header(code))
        : addressedStart(version, style, faultAction, addressing);
    const body = `${start}<${style.prefix}:Fault>${content}</${style.prefix}:Fault>${envelopeEnd(style)}`;
    // Clients in the field lose the fault of a call that comes with 400 (decision 0006).
    return { status: commonStatuses[code] ?? 500, headers, body };
  };
}

/** The detail of a fault: empty, where the stack sends one at all. */
function faultDetail({ code }: Fault, element: string, { faultDetail, emptyEnd }: EnvelopeStyle) {
  // Detail is about the Body, so a fault about a header block has none (SOAP 1.1 §4.4, SOAP 1.2 Part 1 §5.4.5).
  return faultDetail && code !== "must-understand" ? `<${element}${emptyEnd}` : "";
}
