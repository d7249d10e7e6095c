import { compileResponseElement, type ResponseStyle } from "../../codec/xml/response-element.ts";
import { actionOf } from "../../contract/action.ts";
import { bindings } from "../../contract/bindings.ts";
import type { Addressing } from "../../fault.ts";
import { type Call, errorCaching, type NamedService } from "../binding.ts";
import type { HttpResponse } from "../http.ts";
import { addressingDeclaration, faultAction, writeAddressing } from "./addressing.ts";
import type { EnvelopeStyle, SoapStack } from "./stack.ts";
import { stackOf } from "./stacks.ts";
import type { SoapVersion } from "./versions.ts";

/** Writes the answer to a call. */
export type EncodeCall = (call: Call, result: unknown) => HttpResponse;

/** Compiles the writing of answers of one SOAP version for a service. */
export function compileSoapEncode(service: NamedService, version: SoapVersion): EncodeCall {
  const stack = stackOf(service);
  const { style: form } = stack;
  const { responseContentType } = bindings[version.binding];
  const headers = ["Cache-Control", form.caching, "Content-Type", responseContentType];
  const start = envelopeStart(version, form);
  const end = envelopeEnd(form);
  const style: ResponseStyle = {
    layout: { binding: version.binding, indent: 0, emptyEnd: form.emptyEnd, nil: form.nil },
    namespace: service.namespace,
    declarations: form.resultDeclaration,
    nullResult: form.nullResult,
  };
  const writers = new Map(
    Object.entries(service.contract.operations).map(([name, operation]) => [
      name,
      compileResponseElement(name, operation, style),
    ]),
  );
  return ({ operation, responseForm: answer }, result) => {
    const write = writers.get(operation);
    if (write === undefined) throw new Error(`No operation ${operation}`);
    const { addressing } = answer;
    const opening =
      addressing === undefined
        ? start
        : addressedStart(version, form, actionOf(service, `${operation}Response`), addressing);
    return { status: 200, headers, body: opening + write(result) + end };
  };
}

/** What stands around the content of a fault. */
export interface FaultEnvelope {
  readonly version: SoapVersion;
  readonly stack: SoapStack;
  readonly addressing: Addressing | undefined;
  /** Header before the Body; `""` for none. */
  readonly header: string;
}

/** The answer that carries a fault, given the content of its element. */
export function faultResponse(status: number, fault: string, around: FaultEnvelope): HttpResponse {
  const { version, stack, addressing, header } = around;
  const { style: form } = stack;
  const { faultContentType } = bindings[version.binding];
  const opening =
    addressing === undefined
      ? envelopeStart(version, form, header)
      : addressedStart(version, form, faultAction, addressing);
  const content = `<${form.prefix}:Fault>${fault}</${form.prefix}:Fault>`;
  return {
    status,
    headers: ["Cache-Control", errorCaching, "Content-Type", faultContentType],
    body: opening + content + envelopeEnd(form),
  };
}

function envelopeEnd({ prefix }: EnvelopeStyle): string {
  return `</${prefix}:Body></${prefix}:Envelope>`;
}

function envelopeStart(version: SoapVersion, form: EnvelopeStyle, header = ""): string {
  const { prologue, prefix, declarations } = form;
  const namespace = `xmlns:${prefix}="${version.envelopeNamespace}"`;
  return `${prologue}<${prefix}:Envelope ${namespace}${declarations}>${header}<${prefix}:Body>`;
}

function addressedStart(
  version: SoapVersion,
  form: EnvelopeStyle,
  action: string,
  addressing: Addressing,
): string {
  const declarations = form.declarations + addressingDeclaration;
  const header = writeAddressing(form.prefix, action, addressing);
  return envelopeStart(version, { ...form, declarations }, header);
}
