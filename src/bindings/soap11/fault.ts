import { escapeAttribute, escapeText } from "../../codec/xml-text.ts";
import type { Fault, FaultCode } from "../../fault.ts";
import type { HttpResponse } from "../http.ts";
import { faultAnswer } from "../soap/answer.ts";
import { soap11Version, soap12Version } from "../soap/versions.ts";

/**
 * SOAP 1.1 §4.4.1 names for our fault codes, with the status that carries them. 500 stands for
 * most, since clients in the field lose a fault that comes with 400 (decision 0006).
 */
const faultcodes: Readonly<Record<FaultCode, { faultcode: string; status: number }>> = {
  sender: { faultcode: "soap:Client", status: 500 },
  malformed: { faultcode: "soap:Client", status: 400 },
  "too-large": { faultcode: "soap:Client", status: 413 },
  "unsupported-media": { faultcode: "soap:Client", status: 415 },
  "version-mismatch": { faultcode: "soap:VersionMismatch", status: 500 },
  "must-understand": { faultcode: "soap:MustUnderstand", status: 500 },
  receiver: { faultcode: "soap:Server", status: 500 },
};

/** Answers a fault in a SOAP 1.1 envelope. */
export function encodeFault(fault: Fault): HttpResponse {
  const { faultcode, status } = faultcodes[fault.code];
  // SOAP 1.1 §4.4: detail is about the Body, so a fault about a header block has none.
  const detail = fault.code === "must-understand" ? "" : "<detail />";
  const faultstring = `<faultstring>${escapeText(fault.message)}</faultstring>`;
  return faultAnswer(soap11Version, status, {
    fault: `<faultcode>${faultcode}</faultcode>${faultstring}${detail}`,
    header: fault.code === "version-mismatch" ? upgradeHeader : "",
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
