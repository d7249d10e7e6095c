import { compileBinding } from "../../bindings/compile-binding.ts";
import { envelopeEnd, envelopeStart } from "../../bindings/soap/encode.ts";
import { stackOf } from "../../bindings/soap/stacks.ts";
import { soap11Version, soap12Version } from "../../bindings/soap/versions.ts";
import { escapeAttribute } from "../../codec/xml/escape.ts";
import { compileMembers } from "../../codec/xml/writer.ts";
import { actionOf } from "../../contract/action.ts";
import { type BindingName, bindings } from "../../contract/bindings.ts";
import type { DescribedService } from "../described-service.ts";
import { indentJson, indentXml } from "./indent.ts";
import {
  requestJson,
  type SampleCall,
  type SampleValues,
  sampleCall,
  sentParts,
} from "./sample-call.ts";

/** A request or a response for display. */
export interface HttpMessage {
  /** Start line and headers, one per line. */
  readonly head: string;
  /** Indented, with LF line ends; `""` without a body. */
  readonly body: string;
}

/** The messages of one call over one binding. */
export interface BindingSample {
  readonly binding: BindingName;
  /** Display name of the binding, for example `SOAP 1.1`. */
  readonly title: string;
  readonly request: HttpMessage;
  readonly response: HttpMessage;
}

const titles: Readonly<Record<BindingName, string>> = {
  soap11: "SOAP 1.1",
  soap12: "SOAP 1.2",
  "http-get": "HTTP GET",
  "http-post": "HTTP POST",
  json: "JSON",
};

/**
 * The messages of an operation over every binding of its service, in the order of the contract.
 *
 * An example is exact: its request can be sent as shown, and its response states the length that the
 * server sends, which writes envelopes and JSON on one line. With placeholders the length is the word
 * `length`, as on the pages of ASP.NET.
 *
 * @throws {RangeError} when the service has no such operation, or an example is requested and the
 *   contract has none.
 */
export function sampleMessages(
  service: DescribedService,
  operationName: string,
  values: SampleValues,
): readonly BindingSample[] {
  const call = sampleCall(service, operationName, values);
  const lengthOf = values === "example" ? byteLength : () => "length";
  return service.contract.bindings.map((binding) => ({
    binding,
    title: titles[binding],
    request: requestMessage(call, binding, lengthOf),
    response: responseMessage(call, binding, lengthOf),
  }));
}

type LengthOf = (body: string) => string;

function requestMessage(call: SampleCall, binding: BindingName, lengthOf: LengthOf): HttpMessage {
  const { service, name } = call;
  const { method, at, requestMediaType } = bindings[binding];
  const { query = "", body = "", parameters = "", headers = [] } = requestContents[binding](call);
  const { host, pathname } = new URL(service.address);
  const path = at === "service" ? pathname : `${pathname}/${name}`;
  const lines = [
    `${method} ${path}${query} HTTP/1.1`,
    `Host: ${host}`,
    ...(requestMediaType === null
      ? []
      : [`Content-Type: ${requestMediaType}${parameters}`, `Content-Length: ${lengthOf(body)}`]),
    ...headers,
  ];
  return { head: lines.join("\n"), body };
}

interface RequestContent {
  /** With its question mark. */
  readonly query?: string;
  readonly body?: string;
  /** Parameters of the media type. */
  readonly parameters?: string;
  readonly headers?: readonly string[];
}

const utf8 = "; charset=utf-8";

const requestContents: Readonly<Record<BindingName, (call: SampleCall) => RequestContent>> = {
  soap11: (call) => ({
    body: requestEnvelope(call, "soap11"),
    parameters: utf8,
    headers: [`SOAPAction: "${actionOf(call.service, call.name)}"`],
  }),
  soap12: (call) => {
    const { service, name } = call;
    // Clients of ASMX send no action (contract §4.2), clients of WCF do.
    const action = service.contract.stack === "wcf" ? `; action="${actionOf(service, name)}"` : "";
    return { body: requestEnvelope(call, "soap12"), parameters: utf8 + action };
  },
  "http-get": (call) => ({ query: `?${formText(call)}` }),
  "http-post": (call) => ({ body: formText(call) }),
  json: (call) => ({ body: indentJson(requestJson(call)), parameters: utf8 }),
};

const versions = { soap11: soap11Version, soap12: soap12Version };

function requestEnvelope(call: SampleCall, binding: keyof typeof versions): string {
  const { service, request, input } = call;
  const { style } = stackOf(service);
  const { emptyEnd, nil } = style;
  const parts = compileMembers(request, { binding, indent: 0, emptyEnd, nil }, 0)(input);
  const start = `<${request.name} xmlns="${escapeAttribute(service.namespace)}"`;
  const content = parts === "" ? start + emptyEnd : `${start}>${parts}</${request.name}>`;
  return indentXml(envelopeStart(versions[binding], style) + content + envelopeEnd(style));
}

function formText(call: SampleCall): string {
  const fields = sentParts(call).map(({ name, text }): [string, string] => [name, text]);
  return new URLSearchParams(fields).toString();
}

function responseMessage(call: SampleCall, binding: BindingName, lengthOf: LengthOf): HttpMessage {
  const { service, name, result } = call;
  // Responses are made by the encoders of the server.
  const { encode } = compileBinding[binding](service);
  const sent = encode({ operation: name, input: {}, responseForm: { binding } }, result).body;
  const lines = [
    "HTTP/1.1 200 OK",
    ...(sent === "" ? [] : [`Content-Type: ${bindings[binding].responseContentType}`]),
    `Content-Length: ${sent === "" ? "0" : lengthOf(sent)}`,
  ];
  return { head: lines.join("\n"), body: layOut(binding, sent) };
}

/** A body for display. Over HTTP GET and POST the server indents it; the `{"d":null}` of a void operation stays on one line. */
function layOut(binding: BindingName, body: string): string {
  if (binding === "json") return body === '{"d":null}' ? body : indentJson(body);
  return binding === "soap11" || binding === "soap12" ? indentXml(body) : body;
}

function byteLength(text: string): string {
  return String(new TextEncoder().encode(text).length);
}
