import { escapeText } from "../../codec/xml-text.ts";
import { type AnswerForm, type Fault, type FaultCode, messageSeparator } from "../../fault.ts";
import { commonStatuses, type NamedService } from "../binding.ts";
import type { HttpResponse } from "../http.ts";
import { faultAnswer } from "../soap/answer.ts";
import { stackOf } from "../soap/stacks.ts";
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

/** Statuses of faults; SOAP 1.2 Part 2 would have 400 where we answer 500 (decision 0006). */
const statuses: Readonly<Partial<Record<FaultCode, number>>> = commonStatuses;

/** Compiles the answers of SOAP 1.2 to faults for a service. */
export function compileEncodeFault(
  service: NamedService,
): (fault: Fault, answer: AnswerForm) => HttpResponse {
  const stack = stackOf(service);
  const { prefix, faultDetail, faultLanguage } = stack.form;
  return ({ code, messages }, { addressing }) => {
    const own = stack.subcodes[code];
    const subcode =
      own === undefined
        ? ""
        : `<${prefix}:Subcode><${prefix}:Value xmlns:a="${own.namespace}">a:${own.name}</${prefix}:Value></${prefix}:Subcode>`;
    const value = `<${prefix}:Value>${prefix}:${values[code]}</${prefix}:Value>`;
    const shown = code === "receiver" ? stack.refuse.internal : messages;
    const text = escapeText(shown.join(messageSeparator));
    const reason = `<${prefix}:Text xml:lang="${faultLanguage.soap12}">${text}</${prefix}:Text>`;
    // SOAP 1.2 Part 1 §5.4.5: detail is about the Body, so a fault about a header block has none.
    const detail = faultDetail && code !== "must-understand" ? `<${prefix}:Detail />` : "";
    const fault = `<${prefix}:Code>${value}${subcode}</${prefix}:Code><${prefix}:Reason>${reason}</${prefix}:Reason>${detail}`;
    return faultAnswer(statuses[code] ?? 500, fault, {
      version: soap12Version,
      stack,
      addressing,
      header: "",
    });
  };
}
