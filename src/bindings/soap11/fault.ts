import { escapeAttribute, escapeText } from "../../codec/xml-text.ts";
import { type AnswerForm, type Fault, type FaultCode, messageSeparator } from "../../fault.ts";
import { commonStatuses, type NamedService } from "../binding.ts";
import type { HttpResponse } from "../http.ts";
import { faultAnswer } from "../soap/answer.ts";
import { stackOf } from "../soap/stacks.ts";
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

/** Statuses of faults; 500 where none is named, since clients in the field lose a fault that comes with 400 (decision 0006). */
const statuses: Readonly<Partial<Record<FaultCode, number>>> = commonStatuses;

/** Compiles the answers of SOAP 1.1 to faults for a service. */
export function compileEncodeFault(
  service: NamedService,
): (fault: Fault, answer: AnswerForm) => HttpResponse {
  const stack = stackOf(service);
  const { prefix, faultDetail, faultLanguage } = stack.form;
  const language = faultLanguage.soap11 === "" ? "" : ` xml:lang="${faultLanguage.soap11}"`;
  return ({ code, messages }, { addressing }) => {
    const own = stack.subcodes[code];
    const faultcode =
      own === undefined
        ? `<faultcode>${prefix}:${faultcodes[code]}</faultcode>`
        : `<faultcode xmlns:a="${own.namespace}">a:${own.name}</faultcode>`;
    const shown = code === "receiver" ? stack.refuse.internal : messages;
    const text = escapeText(shown.join(messageSeparator));
    // SOAP 1.1 §4.4: detail is about the Body, so a fault about a header block has none.
    const detail = faultDetail && code !== "must-understand" ? "<detail />" : "";
    const fault = `${faultcode}<faultstring${language}>${text}</faultstring>${detail}`;
    const header = code === "version-mismatch" ? upgradeHeader : "";
    return faultAnswer(statuses[code] ?? 500, fault, {
      version: soap11Version,
      stack,
      addressing,
      header,
    });
  };
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
