import type { IncomingMessage, ServerResponse } from "node:http";
import { compileBinding } from "../../bindings/compile-binding.ts";
import type { BindingName } from "../../contract/bindings.ts";
import { Fault, repeatWarning } from "../../fault.ts";
import { respondError } from "../listener.ts";
import type { Recognized } from "../recognize.ts";
import { openMs } from "./breaker.ts";
import { services } from "./routes.ts";

/** How each binding of each service writes faults, and which of them are faults of the receiver. */
const forms = services.flatMap((contract) =>
  contract.bindings.map((binding: BindingName) => {
    // No fault has an element of the service, so that its namespace means nothing here.
    const { encodeFault } = compileBinding[binding]({ contract, namespace: "" });
    const { headers, body } = encodeFault(new Fault("receiver", ""), { binding });
    const contentType = headers[headers.indexOf("Content-Type") + 1];
    const code = /<faultcode.*<\/faultcode>|<(\w+:Code)>.*<\/\1>/.exec(body)?.[0] ?? body;
    return { service: contract.name, binding, encodeFault, contentType, code };
  }),
);

/** Why a side did not respond. */
export interface Failure {
  readonly status: 502 | 503 | 504;
  /** For the caller: names the side, but not its address. */
  readonly message: string;
}

/** Tells the caller why there is no response: of an operation in the form of its binding, of any other request as text. */
export function respondFailure(
  response: ServerResponse,
  recognized: Recognized | undefined,
  failure: Failure,
): void {
  const { service, binding } = recognized ?? {};
  const { status, message } = failure;
  if (status === 503) response.setHeader("Retry-After", openMs / 1_000);
  const form = forms.find((one) => one.service === service && one.binding === binding);
  if (form === undefined) {
    respondError(response, failure);
    return;
  }
  const { headers, body } = form.encodeFault(new Fault("unavailable", message), form);
  response.setHeader("Content-Length", Buffer.byteLength(body));
  response.writeHead(status, [...headers]).end(body);
}

/** What a side made of a call: a response that is final, a failure that changed nothing, or one that may have changed something. */
export type ResponseKind = "final" | "unchanged" | "unknown";

/**
 * Reads what a response of ours, or of a proxy before it, says of the call. With 500, SOAP and old bindings also refuse calls
 * that are wrong.
 */
export function kindOf(
  { statusCode = 0, headers }: Pick<IncomingMessage, "statusCode" | "headers">,
  body: Uint8Array,
): ResponseKind {
  if (statusCode < 500) return "final";
  const text = Buffer.from(body).toString();
  if (text.includes(repeatWarning) || headers["content-encoding"] !== undefined) return "unknown";
  if (statusCode !== 500) return statusCode === 503 ? "unchanged" : "unknown";
  const ours = forms.filter(({ contentType }) => contentType === headers["content-type"]);
  if (ours.length === 0) return "unknown";
  return ours.some(({ code }) => text.includes(code)) ? "unchanged" : "final";
}
