import { PartError } from "../../codec/part-error.ts";
import { compileElementReader, type InputValues } from "../../codec/read-parts.ts";
import { createXmlReader, type XmlElement } from "../../codec/xml-reader.ts";
import { type BindingName, bindings } from "../../contract/bindings.ts";
import { Fault } from "../../fault.ts";
import type { Call, NamedService } from "../binding.ts";
import type { HttpRequest } from "../http.ts";
import { type Envelope, readEnvelope, unreadable } from "./read-envelope.ts";
import { compileStatedAction } from "./stated-action.ts";
import type { SoapVersion } from "./versions.ts";

const noOperation =
  "Unable to handle request without a valid action parameter. Please supply a valid soap action.";

/**
 * Compiles the decoding of SOAP requests for a service.
 *
 * @param versions those whose envelopes may come under the binding's content type; an envelope of
 * the other one is refused as unsupported media.
 */
export function compileSoapDecode(
  service: NamedService,
  versions: readonly SoapVersion[],
): (request: HttpRequest) => Call {
  const readXml = createXmlReader();
  const statedAction = compileStatedAction(service);
  const readers = new Map(
    Object.entries(service.contract.operations).map(([name, operation]) => [
      name,
      compileElementReader(operation, service.namespace),
    ]),
  );
  return (request) => {
    const envelope = readEnvelope(request, readXml);
    if (!versions.includes(envelope.version)) throw wrongMediaType(envelope.version);
    const answerAs = envelope.version.binding;
    const stated = statedAction(request, envelope.version);
    const wrapper = onlyElement(envelope);
    const operation = wrapper?.namespace === service.namespace ? wrapper.name : "";
    const read = readers.get(operation);
    if (wrapper === undefined || read === undefined) {
      throw new Fault("sender", noOperation, { answerAs, hint: describe(wrapper) });
    }
    if (stated !== undefined && stated !== operation) {
      const message = `The action names the operation ${stated}, the Body holds ${operation}.`;
      throw new Fault("sender", message, { answerAs });
    }
    return { operation, input: readInput(read, wrapper, answerAs), answerAs };
  };
}

/** The operation element. A second one is refused: which of them counts would be a guess. */
function onlyElement({ body, version }: Envelope): XmlElement | undefined {
  if (body.length > 1) {
    const reason = `Request format is invalid: Expected one element in soap:Body, found ${body.length}.`;
    throw new Fault("sender", [unreadable, reason], { answerAs: version.binding });
  }
  return body[0];
}

function wrongMediaType(version: SoapVersion): Fault {
  const { requestMediaType } = bindings[version.binding];
  return new Fault(
    "unsupported-media",
    `An envelope of this version is sent as ${requestMediaType}.`,
  );
}

function describe(wrapper: XmlElement | undefined): string {
  if (wrapper === undefined) return "The Body holds no element";
  const namespace = wrapper.namespace === "" ? "no namespace" : `namespace ${wrapper.namespace}`;
  return `The Body holds ${wrapper.name} in ${namespace}`;
}

function readInput(
  read: (wrapper: XmlElement) => InputValues,
  wrapper: XmlElement,
  answerAs: BindingName,
): InputValues {
  try {
    return read(wrapper);
  } catch (cause) {
    if (!(cause instanceof PartError)) throw cause;
    throw new Fault("sender", messagesOf(cause), { cause, answerAs });
  }
}

function messagesOf({ part, problem, found, position, message }: PartError): string[] {
  if (problem === "missing") return [`Missing parameter: ${part}.`];
  const { line, column } = position ?? { line: 0, column: 0 };
  const where = `There is an error in XML document (${line}, ${column}).`;
  const reason =
    problem === "child-element"
      ? `Element ${part} holds an element ${found} where only text is expected.`
      : message;
  return [unreadable, where, reason];
}
