import { compileBinding } from "../../bindings/compile-binding.ts";
import { compileJsonObject } from "../../codec/json/writer.ts";
import { type BindingName, bindings } from "../../contract/bindings.ts";
import type { DescribedApi, DescribedService } from "../described-service.ts";
import { indentCode, languageOf } from "./indent.ts";
import { fillRequest, formatRequest, type HttpMessage } from "./request.ts";
import { type SampleValues, sampleCall } from "./sample-call.ts";
import { type CallFormat, describeResource } from "./sample-target.ts";

/** The messages of one call over one binding. */
export interface BindingSample extends MessageSample {
  readonly binding: BindingName;
}

/** The messages of one call. */
export interface MessageSample extends CallFormat {
  /** Display name of the binding, for example `SOAP 1.1`. */
  readonly title: string;
  readonly request: HttpMessage;
  readonly response: HttpMessage;
}

/**
 * The messages of an operation over every binding of its service, in the order of the contract.
 *
 * An example is exact: its request can be sent as shown, and its response states the length that
 * the server sends, which writes envelopes and JSON on one line. With placeholders the length is
 * the word `length`, as on the pages of ASP.NET.
 *
 * @throws {RangeError} without such an operation, or without a requested example in the contract.
 */
export function sampleMessages(
  service: DescribedService,
  operation: string,
  values: SampleValues,
): readonly BindingSample[] {
  const { sent, result } = sampleCall(service, operation, values);
  const lengthOf = values === "example" ? byteLength : () => "length";
  return service.contract.bindings.map((binding) => {
    const { describeRequest, encode } = compileBinding[binding](service);
    const { title, responseContentType } = bindings[binding];
    const description = describeRequest(operation);
    const request = fillRequest(description, service.address, sent);
    const { body } = encode({ operation, input: {}, responseForm: { binding } }, result);
    const length = body === "" ? "0" : lengthOf(body);
    const type = body === "" ? "" : `Content-Type: ${responseContentType}\n`;
    const response = {
      head: `HTTP/1.1 200 OK\n${type}Content-Length: ${length}`,
      body: indentCode(languageOf(responseContentType), body),
    };
    const shown = formatRequest(request, service.address, lengthOf(request.body ?? ""));
    return { binding, title, description, request: shown, response };
  });
}

/** The messages of an operation of the REST API, with the values of its example. */
export function resourceMessages({ contract, address }: DescribedApi, name: string): MessageSample {
  const { operation, sent, result } = sampleCall({ contract, address }, name, "example");
  if (operation.resource === undefined) throw new RangeError(`Operation ${name} has no address`);
  const description = describeResource(operation.resource, operation.token);
  const request = fillRequest(description, address, sent);
  // As the binding writes it.
  const write = operation.result && compileJsonObject(operation.result, { longsAsText: true });
  const body = write === undefined ? "" : indentCode("json", write(result as never));
  const head = write
    ? "HTTP/1.1 200 OK\nContent-Type: application/json"
    : "HTTP/1.1 204 No Content";
  return {
    binding: "rest",
    title: "REST",
    description,
    request: formatRequest(request, address, byteLength(request.body ?? "")),
    response: { head, body },
  };
}

function byteLength(text: string): string {
  return String(new TextEncoder().encode(text).length);
}
