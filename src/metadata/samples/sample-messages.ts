import { actionOf } from "../../contract/action.ts";
import { type BindingName, bindings } from "../../contract/bindings.ts";
import type { DescribedService } from "../described-service.ts";
import type { SoapName } from "../wsdl/soap-ports.ts";
import { type SampleCall, type SampleValues, sampleCall, sentParts } from "./sample-call.ts";
import { indentJson, requestJson, responseJson } from "./sample-json.ts";
import { requestEnvelope, responseDocument, responseEnvelope } from "./sample-xml.ts";

export type { SampleValues } from "./sample-call.ts";

/** A request or an answer as people read it. */
export interface HttpMessage {
  /** Start line and headers, each on its line. */
  readonly head: string;
  /** Indented, with LF between its lines; `""` where there is none. */
  readonly body: string;
}

/** What goes over the wire when an operation is called over one binding. */
export interface BindingSample {
  readonly binding: BindingName;
  /** Name of the binding for people, for example `SOAP 1.1`. */
  readonly title: string;
  readonly request: HttpMessage;
  readonly response: HttpMessage;
}

/**
 * The messages of an operation over every binding of its service, in the order of the contract.
 *
 * An example is true: its request can be sent as it stands, and states its own length; its answer states the
 * length that the server states, which writes envelopes and JSON on one line. Beside placeholders a length is the
 * word `length`, as on the pages of ASP.NET; JSON has those of numbers and booleans without quotes.
 *
 * @throws {RangeError} when the service has no such operation, or an example is wanted and the contract has none.
 */
export function sampleMessages(
  service: DescribedService,
  operationName: string,
  values: SampleValues,
): readonly BindingSample[] {
  const call = sampleCall(service, operationName, values);
  const lengthOf = values === "example" ? byteLength : () => "length";
  return service.contract.bindings.map((binding) => {
    const { title, request, answer } = writers[binding];
    return {
      binding,
      title,
      request: requestMessage(call, binding, { ...request(call), lengthOf }),
      response: responseMessage(binding, answer(call), lengthOf),
    };
  });
}

/** What a binding writes into a request. */
interface RequestContent {
  /** Text behind the path. */
  readonly query?: string;
  readonly body: string;
  /** What follows the media type. */
  readonly mediaTypeParameters?: string;
  /** Headers behind those that every request with a body has. */
  readonly headers?: readonly string[];
}

/** An answer as it is shown, and as the server writes it. */
interface AnswerContent {
  readonly shown: string;
  readonly sent: string;
}

interface SampleWriter {
  readonly title: string;
  readonly request: (call: SampleCall) => RequestContent;
  readonly answer: (call: SampleCall) => AnswerContent;
}

const utf8 = "; charset=utf-8";

const writers: Readonly<Record<BindingName, SampleWriter>> = {
  soap11: {
    title: "SOAP 1.1",
    request: (call) => ({
      body: requestEnvelope(call, "soap11"),
      mediaTypeParameters: utf8,
      headers: [`SOAPAction: "${actionOf(call.service, call.name)}"`],
    }),
    answer: soapAnswer("soap11"),
  },
  soap12: {
    title: "SOAP 1.2",
    request: (call) => ({
      body: requestEnvelope(call, "soap12"),
      mediaTypeParameters: utf8 + action12[call.service.contract.stack](call),
    }),
    answer: soapAnswer("soap12"),
  },
  "http-get": {
    title: "HTTP GET",
    request: (call) => ({ query: `?${formText(call)}`, body: "" }),
    answer: (call) => same(responseDocument(call, "http-get")),
  },
  "http-post": {
    title: "HTTP POST",
    request: (call) => ({ body: formText(call) }),
    answer: (call) => same(responseDocument(call, "http-post")),
  },
  json: {
    title: "JSON",
    request: (call) => ({ body: indentJson(requestJson(call)), mediaTypeParameters: utf8 }),
    answer: (call) => {
      const sent = responseJson(call);
      return { sent, shown: call.result === undefined ? sent : indentJson(sent) };
    },
  },
};

/** Clients of ASMX find their operation by the Body (contract §4.2), those of WCF name it. */
const action12 = {
  asmx: () => "",
  wcf: ({ service, name }: SampleCall) => `; action="${actionOf(service, name)}"`,
} as const;

function soapAnswer(binding: SoapName): SampleWriter["answer"] {
  return (call) => ({
    shown: responseEnvelope(call, binding, 2),
    sent: responseEnvelope(call, binding, 0),
  });
}

function same(text: string): AnswerContent {
  return { shown: text, sent: text };
}

function formText(call: SampleCall): string {
  const fields = sentParts(call).map(({ name, text }): [string, string] => [name, text]);
  return new URLSearchParams(fields).toString();
}

function requestMessage(
  { service, name }: SampleCall,
  binding: BindingName,
  content: RequestContent & { readonly lengthOf: (body: string) => string },
): HttpMessage {
  const { method, at, requestMediaType } = bindings[binding];
  const { host, pathname } = new URL(service.address);
  const { body, query = "", mediaTypeParameters = "", headers = [], lengthOf } = content;
  const path = at === "service" ? pathname : `${pathname}/${name}`;
  const bodyHeaders =
    requestMediaType === null
      ? []
      : [
          `Content-Type: ${requestMediaType}${mediaTypeParameters}`,
          `Content-Length: ${lengthOf(body)}`,
        ];
  const lines = [`${method} ${path}${query} HTTP/1.1`, `Host: ${host}`, ...bodyHeaders, ...headers];
  return { head: lines.join("\n"), body };
}

function responseMessage(
  binding: BindingName,
  { shown, sent }: AnswerContent,
  lengthOf: (body: string) => string,
): HttpMessage {
  const lines = [
    "HTTP/1.1 200 OK",
    // Without a body there is nothing to type.
    ...(sent === "" ? [] : [`Content-Type: ${bindings[binding].responseContentType}`]),
    `Content-Length: ${sent === "" ? "0" : lengthOf(sent)}`,
  ];
  return { head: lines.join("\n"), body: shown };
}

const encoder = new TextEncoder();

function byteLength(text: string): string {
  return String(encoder.encode(text).length);
}
