import { EncodingError } from "../codec/decode-text.ts";
import { FieldLengthError, type FormFields } from "../codec/form/fields.ts";
import { PartError } from "../codec/part-error.ts";
import { platformNames } from "../codec/scalars.ts";
import { compileFieldReader, type InputValues } from "../codec/xml/parts.ts";
import type { BindingName } from "../contract/bindings.ts";
import { formLimits } from "../contract/limits.ts";
import type { Operation, ServiceContract } from "../contract/operation.ts";
import { Fault } from "../fault.ts";
import type { Call, CallTarget, NamedService } from "./binding.ts";
import type { HttpRequest } from "./http.ts";

/** Most characters of a value that an error repeats. */
const quotedMax = 200;

interface Reader {
  readonly operation: Operation;
  /** Names of its parts in lower case. */
  readonly names: readonly string[];
  readonly read: (fields: FormFields) => InputValues;
}

/**
 * Compiles the decoding of calls whose parts are form fields.
 *
 * @param binding the one that answers.
 * @param readFields finds the fields of a request that have the given names, in lower case.
 */
export function compileFormDecode(
  service: NamedService,
  binding: BindingName,
  readFields: (request: HttpRequest, wanted: readonly string[]) => FormFields,
): (request: HttpRequest, target: CallTarget) => Call {
  const readers = new Map<string, Reader>(
    Object.entries(service.contract.operations).map(([name, operation]) => [
      name,
      {
        operation,
        names: Object.keys(operation.input).map((part) => part.toLowerCase()),
        read: compileFieldReader(operation),
      },
    ]),
  );
  return (request, target) => {
    const name = target.at === "operation" ? target.operation : "";
    const reader = readers.get(name);
    if (reader === undefined) throw unknownOperation(name, service.contract);
    try {
      const fields = readFields(request, reader.names);
      return { operation: name, input: reader.read(fields), responseForm: { binding } };
    } catch (cause) {
      throw faultOf(cause, reader.operation);
    }
  };
}

/** What a caller is told of fields that cannot be read; anything else is thrown on as it is. */
function faultOf(cause: unknown, operation: Operation): unknown {
  if (cause instanceof EncodingError) {
    return new Fault("unsupported-media", cause.message, { cause });
  }
  if (cause instanceof FieldLengthError) {
    const part = Object.keys(operation.input).find((name) => name.toLowerCase() === cause.field);
    const message = `The value of ${part} is longer than the limit of ${formLimits.valueBytes} bytes.`;
    return new Fault("too-large", message, { cause });
  }
  if (!(cause instanceof PartError)) return cause;
  const code = cause.problem === "missing" ? "sender" : "unreadable-part";
  return new Fault(code, messagesOf(cause, operation), { cause, hint: cause.hint });
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

function messagesOf({ part, problem, found, message }: PartError, operation: Operation): string[] {
  if (problem === "missing") return [`Missing parameter: ${part}.`];
  const type = operation.input[part]?.type;
  const typeName = typeof type === "string" ? platformNames[type] : "";
  const quoted = found.length > quotedMax ? `${found.slice(0, quotedMax)}…` : found;
  return [`Cannot convert ${quoted} to ${typeName}.\nParameter name: type`, message];
}
