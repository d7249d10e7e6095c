import { unescapePercent } from "../../codec/form-fields.ts";
import type { NamedService } from "../binding.ts";
import { type HttpRequest, headerOf } from "../http.ts";
import { type Envelope, toFault } from "./read-envelope.ts";
import type { SoapStack } from "./stack.ts";
import { soap11Version } from "./versions.ts";

/** Most of an unknown action that a fault repeats, in UTF-16 units. */
const quotedMax = 500;

/**
 * Compiles the search for the operation that a request names beside its Body. It returns undefined
 * where none is named, so that the element in the Body decides alone.
 *
 * SOAP 1.1 states it in the SOAPAction header, SOAP 1.2 in the content type or in WS-Addressing; a
 * SOAPAction header means nothing there (wire case `s12-soapaction-wrong`).
 */
export function compileStatedAction(
  service: NamedService,
  stack: SoapStack,
): (request: HttpRequest, envelope: Envelope) => string | undefined {
  const operations = new Map(
    Object.keys(service.contract.operations).map((name) => [stack.actionOf(service, name), name]),
  );
  const { missingAction, unknownAction12 } = stack.rules;
  return (request, { version, addressedAction, answer }) => {
    const isOlder = version === soap11Version;
    const action = isOlder ? soapAction(request) : (request.contentType?.action ?? addressedAction);
    if (action === undefined && (!isOlder || missingAction === "body-decides")) return undefined;
    const operation = operations.get(action ?? "");
    if (operation !== undefined || (!isOlder && unknownAction12 === "ignored")) return operation;
    const refusal = stack.refuse.unknownAction((action ?? "").slice(0, quotedMax));
    throw toFault(refusal, answer);
  };
}

function soapAction(request: HttpRequest): string | undefined {
  const header = headerOf(request, "soapaction");
  return header === undefined ? undefined : unescapePercent(unquote(header.trim()));
}

/** The value between a pair of double quotes; one quote alone belongs to the value. */
function unquote(text: string): string {
  return text.length >= 2 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}
