import { bindings } from "../../contract/bindings.ts";
import { type Fault, type FaultCode, messageSeparator } from "../../fault.ts";
import { commonStatuses, errorCaching } from "../binding.ts";
import type { HttpResponse } from "../http.ts";

/** Statuses of faults; 500 where none is named, as the script proxies of the reference stack expect. */
const statuses: Readonly<Partial<Record<FaultCode, number>>> = {
  ...commonStatuses,
  "unknown-operation": 404,
};

const internal = "The server was unable to process the request due to an internal error.";
const headers = [
  "Cache-Control",
  errorCaching,
  "Content-Type",
  bindings.json.faultContentType,
  "jsonerror",
  "true",
];

/** Answers a fault as JSON: the members that script proxies read, of which only the message says anything. */
export function encodeFault({ code, messages }: Fault): HttpResponse {
  const Message = code === "receiver" ? internal : messages.join(messageSeparator);
  const body = JSON.stringify({
    ExceptionDetail: null,
    ExceptionType: null,
    Message: Message.toWellFormed(),
    StackTrace: null,
  });
  return { status: statuses[code] ?? 500, headers, body };
}
