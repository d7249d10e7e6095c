import { escapeHtml } from "../../codec/html-text.ts";
import { type BindingName, bindings } from "../../contract/bindings.ts";
import { type Fault, type FaultCode, messageSeparator } from "../../fault.ts";
import { commonStatuses, errorCaching } from "../binding.ts";
import type { HttpResponse } from "../http.ts";

/** Statuses of faults; the reference stack answers 500 to every error of a call (decision 0006). */
const statuses: Readonly<Partial<Record<FaultCode, number>>> = commonStatuses;

/** What is said of an error of ours. */
const internal = ["Internal error."];

/** Makes the answer to a fault: its messages as text, each escaped as for HTML, with one line end. */
export function formFault(binding: BindingName): (fault: Fault) => HttpResponse {
  const headers = [
    "Cache-Control",
    errorCaching,
    "Content-Type",
    bindings[binding].faultContentType,
  ];
  return ({ code, messages }) => {
    const shown = code === "receiver" ? internal : messages;
    const body = `${shown.map(escapeHtml).join(messageSeparator)}\n`;
    return { status: statuses[code] ?? 500, headers, body };
  };
}
