import { decodeText, EncodingError } from "../../codec/decode-text.ts";
import { readLenientJsonObject } from "../../codec/json/lenient-reader.ts";
import { compileMemberReader } from "../../codec/json/parts.ts";
import { JsonError, type JsonMembers, readJsonObject } from "../../codec/json/reader.ts";
import { PartError } from "../../codec/part-error.ts";
import type { Stack } from "../../contract/operation.ts";
import { Fault } from "../../fault.ts";
import type { Call, CallTarget, NamedService } from "../binding.ts";
import type { HttpRequest } from "../http.ts";

/** What each stack takes for JSON (decision 0049). */
const bodyReaders: Readonly<Record<Stack, (text: string) => JsonMembers>> = {
  asmx: readLenientJsonObject,
  wcf: readJsonObject,
};

/** Compiles the reading of JSON calls: one object with the parts as its members (decision 0016). */
export function compileDecode(
  service: NamedService,
): (request: HttpRequest, target: CallTarget) => Call {
  const readers = new Map(
    Object.entries(service.contract.operations).map(([name, operation]) => [
      name,
      compileMemberReader(operation),
    ]),
  );
  const readBody = bodyReaders[service.contract.stack];
  return (request, target) => {
    const operation = target.at === "operation" ? target.operation : "";
    const read = readers.get(operation);
    if (read === undefined) throw new Fault("unknown-operation", "Endpoint not found.");
    try {
      const input = read(readBody(textOf(request)));
      return { operation, input, responseForm: { binding: "json" } };
    } catch (cause) {
      throw toFault(cause);
    }
  };
}

function textOf({ body, contentType }: HttpRequest): string {
  return decodeText(body, contentType?.charset);
}

function toFault(cause: unknown): unknown {
  if (cause instanceof PartError) {
    return new Fault("unreadable-part", messageOf(cause), { cause, hint: cause.hint });
  }
  if (cause instanceof JsonError) return new Fault("sender", cause.message, { cause });
  if (cause instanceof EncodingError)
    return new Fault("unsupported-media", cause.message, { cause });
  if (cause instanceof TypeError) {
    return new Fault("sender", "The body is not valid in its character encoding.", { cause });
  }
  return cause;
}

function messageOf({ part, problem, message }: PartError): string {
  switch (problem) {
    case "missing":
      return `Invalid web service call, missing value for parameter: '${part}'.`;
    case "nil":
      return `The value of '${part}' is null, which its type does not allow.`;
    default:
      return `The value of '${part}' cannot be read. ${message}`;
  }
}
