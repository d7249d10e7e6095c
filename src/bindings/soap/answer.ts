import {
  escapeAttribute,
  xmlDeclaration,
  xsdNamespace,
  xsiNamespace,
} from "../../codec/xml-text.ts";
import { compileMembers } from "../../codec/xml-writer.ts";
import { bindings } from "../../contract/bindings.ts";
import type { Operation, Shape, ShapeValue } from "../../contract/operation.ts";
import { type Call, errorCaching, type NamedService, operationCaching } from "../binding.ts";
import type { HttpResponse } from "../http.ts";
import type { SoapVersion } from "./versions.ts";

/** Writes the answer to a call. */
export type EncodeCall = (call: Call, result: unknown) => HttpResponse;

/** Compiles the writing of answers of one SOAP version for a service. */
export function compileSoapEncode(service: NamedService, version: SoapVersion): EncodeCall {
  const { answerContentType } = bindings[version.binding];
  const headers = ["Cache-Control", operationCaching, "Content-Type", answerContentType];
  const start = envelopeStart(version);
  const writers = new Map(
    Object.entries(service.contract.operations).map(([name, operation]) => [
      name,
      compileResponse(name, operation, { service, version }),
    ]),
  );
  return (call, result) => {
    const write = writers.get(call.operation);
    if (write === undefined) throw new Error(`No operation ${call.operation}`);
    return { status: 200, headers, body: start + write(result) + envelopeEnd };
  };
}

/** The answer that carries a fault: the envelope around `fault`, with `header` before its Body. */
export function faultAnswer(
  version: SoapVersion,
  status: number,
  { header = "", fault }: { header?: string; fault: string },
): HttpResponse {
  const { faultContentType } = bindings[version.binding];
  const content = `<soap:Fault>${fault}</soap:Fault>`;
  return {
    status,
    headers: ["Cache-Control", errorCaching, "Content-Type", faultContentType],
    body: envelopeStart(version, header) + content + envelopeEnd,
  };
}

const envelopeEnd = "</soap:Body></soap:Envelope>";

function envelopeStart(version: SoapVersion, header = ""): string {
  const namespaces =
    `xmlns:soap="${version.envelopeNamespace}" ` +
    `xmlns:xsi="${xsiNamespace}" xmlns:xsd="${xsdNamespace}"`;
  return `${xmlDeclaration}<soap:Envelope ${namespaces}>${header}<soap:Body>`;
}

function compileResponse(
  name: string,
  operation: Operation,
  { service, version }: { service: NamedService; version: SoapVersion },
): (result: unknown) => string {
  const element = `${name}Response`;
  const open = `<${element} xmlns="${escapeAttribute(service.namespace)}"`;
  const empty = `${open} />`;
  if (operation.result === undefined) return () => empty;
  const members = compileMembers(operation.result, { binding: version.binding, indent: 0 }, 0);
  const resultElement = `${name}Result`;
  return (result) => {
    // A result that is not there leaves no element (wire case `s11-unknown-postal`).
    if (result === null) return empty;
    const content = members(result as ShapeValue<Shape>);
    const inner =
      content === "" ? `<${resultElement} />` : `<${resultElement}>${content}</${resultElement}>`;
    return `${open}>${inner}</${element}>`;
  };
}
