import { unescapePercent } from "../../codec/form/fields.ts";
import type { XmlElement } from "../../codec/xml/reader.ts";
import { actionOf } from "../../contract/action.ts";
import { namespacePattern } from "../../contract/namespace.ts";
import type { Stack } from "../../contract/operation.ts";
import type { Fault } from "../../fault.ts";
import type { NamedService } from "../binding.ts";
import { type Envelope, toFault } from "./envelope.ts";
import type { SoapStack, StatedAction } from "./stack.ts";
import { soap11Version } from "./versions.ts";

/** Most of an unknown action that a fault repeats, in UTF-16 units. */
const quotedMax = 500;

/**
 * Compiles the search for the action that a request states beside its Body, and for its operation.
 *
 * SOAP 1.1 states it in the SOAPAction header, SOAP 1.2 in the content type or in WS-Addressing; a
 * SOAPAction header means nothing there (wire case `s12-soapaction-wrong`).
 *
 * The search takes the action to the letter, as HTTP sent it.
 */
export function compileStatedAction(
  service: NamedService,
  stack: SoapStack,
): (sent: string | undefined, envelope: Envelope) => StatedAction {
  const operations = new Map(
    Object.keys(service.contract.operations).map((name) => [actionOf(service, name), name]),
  );
  const { missingAction, unknownAction12 } = stack.rules;
  return (sent, envelope) => {
    const { version, addressedAction } = envelope;
    const isOlder = version === soap11Version;
    const action = (isOlder ? readSoapAction(sent) : sent) ?? addressedAction;
    const operation = operations.get(action ?? "");
    const stated = { action: action?.slice(0, quotedMax), operation };
    if (action === undefined && (!isOlder || missingAction === "body-decides")) return stated;
    // Where two actions differ, the operation of one would run under the name of the other.
    const isCrossed = (addressedAction ?? action) !== action;
    if (isCrossed) throw unknown(addressedAction, envelope);
    if (operation !== undefined || (!isOlder && unknownAction12 === "ignored")) return stated;
    throw unknown(action, envelope);
  };

  function unknown(action: string | undefined, { body, responseForm }: Envelope): Fault {
    const shown = (action ?? "").slice(0, quotedMax);
    const hint = `The action is ${shown}${namespaceAdvice(service, body[0], action)}`;
    return toFault(stack.refuse.unknownAction(shown), { responseForm, hint });
  }
}

/** Action of a SOAPAction header, without its pair of quotes and with escapes resolved. */
function readSoapAction(header: string | undefined): string | undefined {
  const text = header?.trim();
  const isQuoted = text !== undefined && text.length >= 2 && /^".*"$/s.test(text);
  return text && unescapePercent(isQuoted ? text.slice(1, -1) : text);
}

/** Longest namespace that is advised, in UTF-16 units: far above real ones. */
const namespaceMax = 200;

/** The setting of the namespace of a service. */
const settings: Readonly<Record<Stack, string>> = {
  asmx: "WFH_LOCATION_NAMESPACE",
  wcf: "WFH_ENDPOINT_NAMESPACE",
};

/**
 * Ends a hint with advice for a call of another namespace than the configured one; else `""`.
 *
 * @param element the first element of the Body.
 */
export function namespaceAdvice(
  service: NamedService,
  element: Pick<XmlElement, "name" | "namespace"> | undefined,
  action: string | undefined,
): string {
  const { contract, namespace } = service;
  const { stack, operations } = contract;
  const isNamed = element !== undefined && Object.hasOwn(operations, element.name);
  const isCertain = isNamed && element.namespace !== "";
  const sent = isCertain ? element.namespace : actionBase(action);
  if (sent === namespace || sent.length > namespaceMax || !namespacePattern.test(sent)) return "";
  // An action has a slash behind the namespace, whether that ends with one or not.
  const slash = isCertain ? "" : ", with or without the final slash";
  return `; the clients use another namespace${slash}: set ${settings[stack]}=${sent}`;

  /** Text before the operation in an action; an action of WCF does not show the namespace. */
  function actionBase(text = ""): string {
    const [, base = "", name = ""] = /^(.*\/)([^/]*)$/.exec(text) ?? [];
    const isOther = Object.hasOwn(operations, name) && text !== actionOf(service, name);
    return stack === "asmx" && isOther ? base : namespace;
  }
}
