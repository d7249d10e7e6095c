import { unescapePercent } from "../../codec/form-fields.ts";
import { Fault } from "../../fault.ts";
import type { NamedService } from "../binding.ts";
import { type HttpRequest, headerOf } from "../http.ts";
import { type SoapVersion, soap11Version } from "./versions.ts";

/**
 * Compiles the search for the operation that a request names beside its envelope. It returns
 * undefined where none is named, so that the element in the Body decides alone.
 *
 * SOAP 1.1 states it in the SOAPAction header, and what is no action of the service is a Fault.
 * SOAP 1.2 may state it in the content type, where an unknown one does not count, and a SOAPAction
 * header means nothing (wire cases `s12-action-empty`, `s12-soapaction-wrong`).
 */
export function compileStatedAction(
  service: NamedService,
): (request: HttpRequest, version: SoapVersion) => string | undefined {
  const operations = new Map(
    Object.keys(service.contract.operations).map((name) => [service.namespace + name, name]),
  );
  return (request, version) => {
    if (version !== soap11Version) return operations.get(request.contentType?.action ?? "");
    const header = headerOf(request, "soapaction");
    if (header === undefined) return undefined;
    const action = unescapePercent(unquote(header.trim()));
    const operation = operations.get(action);
    if (operation !== undefined) return operation;
    const message = `Server did not recognize the value of HTTP Header SOAPAction: ${action.slice(0, 500)}.`;
    throw new Fault("sender", message, { answerAs: version.binding });
  };
}

/** The value between a pair of double quotes; one quote alone belongs to the value. */
function unquote(text: string): string {
  return text.length >= 2 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}
