import { decodeText, EncodingError, InvalidBytesError } from "../codec/decode-text.ts";
import { readLenientJsonObject } from "../codec/json/lenient-reader.ts";
import { compileMemberReader } from "../codec/json/parts.ts";
import { JsonError, type JsonMembers, readJsonObject } from "../codec/json/reader.ts";
import { compileJsonObject } from "../codec/json/writer.ts";
import { PartError } from "../codec/parts.ts";
import { bindings } from "../contract/bindings.ts";
import type { Stack } from "../contract/operation.ts";
import { Fault, type FaultCode, messageSeparator } from "../fault.ts";
import {
  type Binding,
  commonStatuses,
  compileOperations,
  describeAs,
  errorCaching,
  type NamedService,
  operationCaching,
} from "./binding.ts";
import type { HttpResponse } from "./http.ts";

const facts = bindings.json;

/** JSON object posted to an operation's address, with parts as members (decision 0016). */
export function json(service: NamedService): Binding {
  return {
    name: "json",
    accepts: compileAccepts(service),
    decode: compileDecode(service),
    encode: compileEncode(service),
    encodeFault,
    describeRequest: (operation) => describeAs("json", operation, "; charset=utf-8"),
  };
}

/** Media type that operations which allow beacons take too. */
const beaconMediaType = "text/plain";

/** Takes text/plain, which any origin's page can send unasked, only for beacons (decision 0017). */
function compileAccepts(service: NamedService): Binding["accepts"] {
  const beacons = compileOperations(service, ({ beacon }) => beacon === true);
  return (head, target) => {
    if (target.at !== facts.at || head.method !== facts.method) return false;
    const mediaType = head.contentType?.name;
    if (mediaType === facts.requestMediaType) return true;
    return mediaType === beaconMediaType && beacons.get(target.operation) === true;
  };
}

/** Readers of JSON as each stack reads it (decision 0049). */
const bodyReaders: Readonly<Record<Stack, (text: string) => JsonMembers>> = {
  asmx: readLenientJsonObject,
  wcf: readJsonObject,
};

function compileDecode(service: NamedService): Binding["decode"] {
  const readers = compileOperations(service, compileMemberReader);
  const readBody = bodyReaders[service.contract.stack];
  return ({ body, contentType }, target) => {
    const operation = target.at === "operation" ? target.operation : "";
    const read = readers.get(operation);
    if (read === undefined) throw new Fault("unknown-operation", "Endpoint not found.");
    try {
      const input = read(readBody(decodeText(body, contentType?.charset)));
      return { operation, input, responseForm: { binding: "json" } };
    } catch (cause) {
      throw toFault(cause);
    }
  };
}

function toFault(cause: unknown): unknown {
  if (cause instanceof PartError) {
    return new Fault("unreadable-part", messageOf(cause), { cause, hint: cause.hint });
  }
  if (cause instanceof JsonError) return new Fault("sender", cause.message, { cause });
  if (cause instanceof EncodingError) {
    return new Fault("unsupported-media", cause.message, { cause });
  }
  if (cause instanceof InvalidBytesError) {
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

/** The response of a void operation, and of one that found nothing. */
const nothing = '{"d":null}';

/** Cache-Control of each stack's responses (wire case `locjson-ok-postal`). */
const caching: Readonly<Record<Stack, string>> = { asmx: operationCaching, wcf: errorCaching };

/** One object whose member `d` is the result. */
function compileEncode(service: NamedService): Binding["encode"] {
  const cacheControl = caching[service.contract.stack];
  const headers = ["Cache-Control", cacheControl, "Content-Type", facts.responseContentType];
  const writers = compileOperations(
    service,
    ({ result }) => result && compileJsonObject(result, { binding: "json" }),
  );
  return ({ operation }, result) => {
    const write = writers.get(operation);
    const isNothing = write === undefined || result === null || result === undefined;
    const body = isNothing ? nothing : `{"d":${write(result as never)}}`;
    return { status: 200, headers, body };
  };
}

/** Statuses of faults; 500 for others, as script proxies of the reference stack expect. */
const statuses: Readonly<Partial<Record<FaultCode, number>>> = {
  ...commonStatuses,
  "unknown-operation": 404,
};

const internal = "The server was unable to process the request due to an internal error.";
const faultHeaders = [
  "Cache-Control",
  errorCaching,
  "Content-Type",
  facts.faultContentType,
  "jsonerror",
  "true",
];

/** The members that script proxies read, of which only the message says anything. */
function encodeFault({ code, messages }: Fault): HttpResponse {
  const Message = code === "receiver" ? internal : messages.join(messageSeparator);
  const body = JSON.stringify({
    ExceptionDetail: null,
    ExceptionType: null,
    Message: Message.toWellFormed(),
    StackTrace: null,
  });
  return { status: statuses[code] ?? 500, headers: faultHeaders, body };
}
