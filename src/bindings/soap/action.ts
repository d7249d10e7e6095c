import { unescapePercent } from "../../codec/form/fields.ts";
import { actionOf } from "../../contract/action.ts";
import type { Fault } from "../../fault.ts";
import type { NamedService } from "../binding.ts";
import { type HttpRequest, headerOf } from "../http.ts";
import { type Envelope, toFault } from "./envelope.ts";
import { withNamespaceAdvice } from "./namespace-advice.ts";
import type { SoapStack, StatedAction } from "./stack.ts";
import { type SoapVersion, soap11Version } from "./versions.ts";

/** Most of an unknown action that a fault repeats, in UTF-16 units. */
const quotedMax = 500;

/**
 * Compiles the search for the action that a request states beside its Body, and for its operation.
 *
 * SOAP 1.1 states it in the SOAPAction header, SOAP 1.2 in the content type or in WS-Addressing; a
 * SOAPAction header means nothing there (wire case `s12-soapaction-wrong`).
 */
export function compileStatedAction(
  service: NamedService,
  stack: SoapStack,
): (request: HttpRequest, envelope: Envelope) => StatedAction {
  const operations = new Map(
    Object.keys(service.contract.operations).map((name) => [actionOf(service, name), name]),
  );
  const { missingAction, unknownAction12 } = stack.rules;
  return (request, envelope) => {
    const { version, addressedAction } = envelope;
    const isOlder = version === soap11Version;
    const action = transportAction(request, version) ?? addressedAction;
    const operation = operations.get(action ?? "");
    const stated = { action: action?.slice(0, quotedMax), operation };
    if (action === undefined && (!isOlder || missingAction === "body-decides")) return stated;
    // Where two actions differ, whichever ran would run under the name of the other.
    const isCrossed = (addressedAction ?? action) !== action;
    if (isCrossed) throw unknown(addressedAction, envelope);
    if (operation !== undefined || (!isOlder && unknownAction12 === "ignored")) return stated;
    throw unknown(action, envelope);
  };

  function unknown(action: string | undefined, { body, responseForm: answer }: Envelope): Fault {
    const refusal = stack.refuse.unknownAction((action ?? "").slice(0, quotedMax));
    return toFault(withNamespaceAdvice(refusal, service, body[0], action), answer);
  }
}

/** The action as HTTP carries it for a version, to the letter: in a header of its own, or in the content type. */
export function sentAction(request: HttpRequest, version: SoapVersion): string | undefined {
  return version === soap11Version ? headerOf(request, "soapaction") : request.contentType?.action;
}

function transportAction(request: HttpRequest, version: SoapVersion): string | undefined {
  const sent = sentAction(request, version);
  if (sent === undefined || version !== soap11Version) return sent;
  return unescapePercent(unquote(sent.trim()));
}

/** The value between a pair of double quotes; one quote alone belongs to the value. */
function unquote(text: string): string {
  return text.length >= 2 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}
