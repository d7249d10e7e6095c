import { commonStatuses, errorCaching } from "../../bindings/binding.ts";
import { type HttpResponse, replaceControls } from "../../bindings/http.ts";
import type { Fault, FaultCode } from "../../fault.ts";

/** Returns an error in plain text, for addresses that belong to no binding; `reason` is a sentence. */
export function textResponse(
  status: number,
  reason: string,
  headers: readonly string[] = [],
): HttpResponse {
  const type = ["Cache-Control", errorCaching, "Content-Type", "text/plain; charset=utf-8"];
  return { status, headers: [...type, ...headers], body: `${replaceControls(reason)}\n` };
}

/** Returns `{"error": "…"}`, for routes; `error` is a sentence for the developer of the page. */
export function jsonError(
  status: number,
  error: string,
  headers: readonly string[] = [],
): HttpResponse {
  const type = ["Cache-Control", "no-store", "Content-Type", "application/json; charset=utf-8"];
  return { status, headers: [...type, ...headers], body: JSON.stringify({ error }) };
}

/** Statuses of faults over JSON routes; faults that only SOAP has are not among them. */
const statuses: Readonly<Partial<Record<FaultCode, number>>> = {
  ...commonStatuses,
  sender: 400,
  "unreadable-part": 400,
};

/** Returns a fault as {@link jsonError}; an internal failure does not give its reason. */
export function jsonFault({ code, message }: Fault): HttpResponse {
  const sentence = code === "receiver" ? "The server failed." : message.toWellFormed();
  return jsonError(statuses[code] ?? 500, sentence);
}
