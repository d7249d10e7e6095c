import { commonStatuses } from "../../bindings/binding.ts";
import type { HttpResponse } from "../../bindings/http.ts";
import type { Fault, FaultCode } from "../../fault.ts";

/** Statuses of faults; those that only SOAP knows are not among them. */
const statuses: Readonly<Partial<Record<FaultCode, number>>> = {
  ...commonStatuses,
  sender: 400,
  "unreadable-part": 400,
};

/** An error of an address of our own: `{"error": "…"}` with a sentence for the developer of the page. */
export function jsonError(
  status: number,
  error: string,
  headers: readonly string[] = [],
): HttpResponse {
  const type = ["Cache-Control", "no-store", "Content-Type", "application/json; charset=utf-8"];
  return { status, headers: [...type, ...headers], body: JSON.stringify({ error }) };
}

/** Answers a fault; of a failure of our own nothing but that it is one. */
export function jsonFault({ code, message }: Fault): HttpResponse {
  const sentence = code === "receiver" ? "The server failed." : message.toWellFormed();
  return jsonError(statuses[code] ?? 500, sentence);
}
