import { escapeHtml } from "../../codec/html-text.ts";
import { type BindingName, bindings } from "../../contract/bindings.ts";
import { type Fault, type FaultCode, messageSeparator } from "../../fault.ts";
import { errorCaching } from "../binding.ts";
import type { HttpResponse } from "../http.ts";

/** Statuses of our fault codes; the reference stack answers 500 to every error of a call (decision 0006). */
const statuses: Readonly<Record<FaultCode, number>> = {
  sender: 500,
  malformed: 400,
  "too-large": 413,
  "unsupported-media": 415,
  "version-mismatch": 500,
  "must-understand": 500,
  receiver: 500,
};

/** Makes the answer to a fault: its messages as text, each escaped as for HTML, with one line end. */
export function formFault(binding: BindingName): (fault: Fault) => HttpResponse {
  const headers = [
    "Cache-Control",
    errorCaching,
    "Content-Type",
    bindings[binding].faultContentType,
  ];
  return (fault) => ({
    status: statuses[fault.code],
    headers,
    body: `${fault.messages.map(escapeHtml).join(messageSeparator)}\n`,
  });
}
