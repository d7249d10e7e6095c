import { EncodingError } from "../codec/decode-text.ts";
import { compileFieldReader, FieldLengthError, type FormFields } from "../codec/form/fields.ts";
import { PartError } from "../codec/parts.ts";
import { platformNames } from "../codec/scalars.ts";
import { escapeHtml } from "../codec/text.ts";
import { xmlDeclaration, xsdNamespace, xsiNamespace } from "../codec/xml/escape.ts";
import { compileResponse, type ResponseStyle } from "../codec/xml/writer.ts";
import { type BindingName, bindings } from "../contract/bindings.ts";
import { formLimits } from "../contract/limits.ts";
import type { Operation, ServiceContract } from "../contract/operation.ts";
import { Fault, messageSeparator } from "../fault.ts";
import {
  acceptsAs,
  type Binding,
  commonStatuses,
  compileOperations,
  describeAs,
  errorCaching,
  type NamedService,
  operationCaching,
} from "./binding.ts";
import type { HttpRequest } from "./http.ts";

/** Most characters of a value that an error repeats. */
const quotedMax = 200;

/** Finds the fields of a request that have the given names, in lower case. */
type ReadFields = (request: HttpRequest, wanted: readonly string[]) => FormFields;

/** Compiles HTTP GET or POST for a service: parts are fields, the response is the result itself. */
export function compileFormBinding(
  service: NamedService,
  name: BindingName,
  readFields: ReadFields,
): Binding {
  return {
    name,
    accepts: acceptsAs(name),
    decode: compileDecode(service, name, readFields),
    encode: compileEncode(service, name),
    encodeFault: compileFault(name),
    describeRequest: (operation) => describeAs(name, operation),
  };
}

function compileDecode(
  service: NamedService,
  binding: BindingName,
  readFields: ReadFields,
): Binding["decode"] {
  const readers = compileOperations(service, (operation) => ({
    operation,
    names: Object.keys(operation.input).map((part) => part.toLowerCase()),
    read: compileFieldReader(operation),
  }));
  return (request, target) => {
    const name = target.at === "operation" ? target.operation : "";
    const reader = readers.get(name);
    if (reader === undefined) throw unknownOperation(name, service.contract);
    try {
      const input = reader.read(readFields(request, reader.names));
      return { operation: name, input, responseForm: { binding } };
    } catch (cause) {
      throw toFault(cause, reader.operation);
    }
  };
}

/** The fault of fields that cannot be read; anything else is thrown on as it is. */
function toFault(cause: unknown, { input }: Operation): unknown {
  if (cause instanceof EncodingError) {
    return new Fault("unsupported-media", cause.message, { cause });
  }
  if (cause instanceof FieldLengthError) {
    const part = Object.keys(input).find((name) => name.toLowerCase() === cause.field);
    const message = `The value of ${part} is longer than the limit of ${formLimits.valueBytes} bytes.`;
    return new Fault("too-large", message, { cause });
  }
  if (!(cause instanceof PartError)) return cause;
  const { part, problem, found, message, hint } = cause;
  if (problem === "missing") {
    return new Fault("sender", `Missing parameter: ${part}.`, { cause, hint });
  }
  const type = input[part]?.type;
  const typeName = typeof type === "string" ? platformNames[type] : "";
  const quoted = found.length > quotedMax ? `${found.slice(0, quotedMax)}…` : found;
  const messages = [`Cannot convert ${quoted} to ${typeName}.\nParameter name: type`, message];
  return new Fault("unreadable-part", messages, { cause, hint });
}

function unknownOperation(name: string, contract: ServiceContract): Fault {
  const lower = name.toLowerCase();
  const known = Object.keys(contract.operations).find((other) => other.toLowerCase() === lower);
  const message =
    known === undefined
      ? `${name.slice(0, quotedMax)} Web Service method name is not valid.`
      : `Invalid method name '${name}',  method names are case sensitive.   ` +
        `The method name '${known}' with the same name but different casing was found.\n` +
        "Parameter name: methodName";
  return new Fault("unknown-operation", message);
}

function compileEncode(service: NamedService, binding: BindingName): Binding["encode"] {
  const { responseContentType } = bindings[binding];
  const caching = ["Cache-Control", operationCaching];
  const headers = [...caching, "Content-Type", responseContentType];
  const style: ResponseStyle = {
    layout: { binding, emptyEnd: " />", nil: 'xsi:nil="true"' },
    namespace: service.namespace,
    declarations: ` xmlns:xsd="${xsdNamespace}" xmlns:xsi="${xsiNamespace}"`,
    nullResult: "nil",
  };
  const writers = compileOperations(service, (operation, name) =>
    compileResponse(name, operation, style),
  );
  return ({ operation }, result) => {
    const element = writers.get(operation)?.(result) ?? "";
    // Without a body there is nothing to type (wire case `get-ok-getcity`).
    if (element === "") return { status: 200, headers: caching, body: "" };
    return { status: 200, headers, body: `${xmlDeclaration}\n${element}` };
  };
}

/** Message of an error of ours. */
const internal = ["Internal error."];

/** Writes faults as text escaped for HTML, with 500 as the reference stack (decision 0006). */
function compileFault(binding: BindingName): Binding["encodeFault"] {
  const { faultContentType } = bindings[binding];
  const headers = ["Cache-Control", errorCaching, "Content-Type", faultContentType];
  return ({ code, messages }) => {
    const shown = code === "receiver" ? internal : messages;
    const body = `${shown.map(escapeHtml).join(messageSeparator)}\n`;
    return { status: commonStatuses[code] ?? 500, headers, body };
  };
}
