import { escapeText } from "../../codec/xml-text.ts";
import type { Fault, FaultCode } from "../../fault.ts";
import type { HttpResponse } from "../http.ts";
import { faultAnswer } from "../soap/answer.ts";
import { soap12Version } from "../soap/versions.ts";

/**
 * SOAP 1.2 Part 1 §5.4.6 names for our fault codes, with the status that carries them. Part 2
 * would have 400 for a sender's mistake; clients in the field lose such a fault (decision 0006).
 */
const faultcodes: Readonly<Record<FaultCode, { value: string; status: number }>> = {
  sender: { value: "soap:Sender", status: 500 },
  malformed: { value: "soap:Sender", status: 400 },
  "too-large": { value: "soap:Sender", status: 413 },
  "unsupported-media": { value: "soap:Sender", status: 415 },
  "version-mismatch": { value: "soap:VersionMismatch", status: 500 },
  "must-understand": { value: "soap:MustUnderstand", status: 500 },
  receiver: { value: "soap:Receiver", status: 500 },
};

/** Answers a fault in a SOAP 1.2 envelope. */
export function encodeFault(fault: Fault): HttpResponse {
  const { value, status } = faultcodes[fault.code];
  const code = `<soap:Code><soap:Value>${value}</soap:Value></soap:Code>`;
  const text = `<soap:Text xml:lang="en">${escapeText(fault.message)}</soap:Text>`;
  // SOAP 1.2 Part 1 §5.4.5: detail is about the Body, so a fault about a header block has none.
  const detail = fault.code === "must-understand" ? "" : "<soap:Detail />";
  return faultAnswer(soap12Version, status, {
    fault: `${code}<soap:Reason>${text}</soap:Reason>${detail}`,
  });
}
