import { escapeAttribute, escapeText } from "../../codec/xml/escape.ts";
import { compileResponse, type ResponseStyle } from "../../codec/xml/writer.ts";
import { actionOf } from "../../contract/action.ts";
import { bindings, type RequestDescription } from "../../contract/bindings.ts";
import type { Addressing } from "../../fault.ts";
import { type Binding, compileOperations, describeAs } from "../binding.ts";
import { addressingNamespace } from "./envelope.ts";
import type { EnvelopeStyle, SoapService } from "./stack.ts";
import type { SoapVersion } from "./versions.ts";

/** Compiles the responses of one SOAP version for a service. */
export function compileSoapEncode({ service, stack, version }: SoapService): Binding["encode"] {
  const { style } = stack;
  const { responseContentType } = bindings[version.binding];
  const headers = ["Cache-Control", style.caching, "Content-Type", responseContentType];
  const start = envelopeStart(version, style);
  const end = envelopeEnd(style);
  const response: ResponseStyle = {
    layout: { binding: version.binding, emptyEnd: style.emptyEnd, nil: style.nil },
    namespace: service.namespace,
    declarations: style.resultDeclaration,
    nullResult: style.nullResult,
  };
  const writers = compileOperations(service, (operation, name) =>
    compileResponse(name, operation, response),
  );
  return ({ operation, responseForm: { addressing } }, result) => {
    const write = writers.get(operation);
    if (write === undefined) throw new Error(`No operation ${operation}`);
    const opening =
      addressing === undefined
        ? start
        : addressedStart(version, style, actionOf(service, `${operation}Response`), addressing);
    return { status: 200, headers, body: opening + write(result) + end };
  };
}

/** The request of an operation as clients of its stack write it. */
export function describeSoapRequest(
  { service, stack: { style }, version }: SoapService,
  operation: string,
): RequestDescription {
  const action = actionOf(service, operation);
  const isOlder = version.binding === "soap11";
  // SOAP 1.1 has a header for the action; over SOAP 1.2 only WCF clients send it (contract §4.2).
  const hasParameter = !isOlder && service.contract.stack === "wcf";
  const parameters = `; charset=utf-8${hasParameter ? `; action="${action}"` : ""}`;
  const template = describeAs(version.binding, operation, parameters);
  const start = `<${operation} xmlns="${escapeAttribute(service.namespace)}">`;
  return {
    ...template,
    headers: { ...template.headers, ...(isOlder && { SOAPAction: `"${action}"` }) },
    before: envelopeStart(version, style) + start,
    after: `</${operation}>${envelopeEnd(style)}`,
  };
}

/** An envelope up to the content of its Body. The header is `""` for none. */
export function envelopeStart(version: SoapVersion, style: EnvelopeStyle, header = ""): string {
  const { prologue, prefix, declarations } = style;
  const namespace = `xmlns:${prefix}="${version.envelopeNamespace}"`;
  return `${prologue}<${prefix}:Envelope ${namespace}${declarations}>${header}<${prefix}:Body>`;
}

/** The same with the Header of a response to a request with WS-Addressing. */
export function addressedStart(
  version: SoapVersion,
  style: EnvelopeStyle,
  action: string,
  { relatesTo }: Addressing,
): string {
  const { prefix } = style;
  const declarations = `${style.declarations} xmlns:a="${addressingNamespace}"`;
  const stated = `<a:Action ${prefix}:mustUnderstand="1">${escapeText(action)}</a:Action>`;
  const related =
    relatesTo === undefined ? "" : `<a:RelatesTo>${escapeText(relatesTo)}</a:RelatesTo>`;
  const header = `<${prefix}:Header>${stated}${related}</${prefix}:Header>`;
  return envelopeStart(version, { ...style, declarations }, header);
}

/** Text after the content of the Body. */
export function envelopeEnd({ prefix }: EnvelopeStyle): string {
  return `</${prefix}:Body></${prefix}:Envelope>`;
}
