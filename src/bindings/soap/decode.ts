import { PartError } from "../../codec/part-error.ts";
import { compileElementReader, type InputValues } from "../../codec/read-parts.ts";
import type { XmlElement } from "../../codec/xml-element.ts";
import { createXmlReader } from "../../codec/xml-reader.ts";
import { bindings } from "../../contract/bindings.ts";
import { Fault } from "../../fault.ts";
import type { Call, NamedService } from "../binding.ts";
import type { HttpRequest } from "../http.ts";
import { type Envelope, readEnvelope, toFault } from "./read-envelope.ts";
import type { SoapStack } from "./stack.ts";
import { stackOf } from "./stacks.ts";
import { compileStatedAction } from "./stated-action.ts";
import type { SoapVersion } from "./versions.ts";

/** Reads the parts of an operation from the element in the Body. */
type ReadInput = (wrapper: XmlElement) => InputValues;

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
  const stack = stackOf(service);
  const readXml = createXmlReader();
  const statedAction = compileStatedAction(service, stack);
  const readers = new Map<string, ReadInput>(
    Object.entries(service.contract.operations).map(([name, operation]) => [
      name,
      compileElementReader(operation, service.namespace, stack.rules.textBetweenParts),
    ]),
  );
  return (request) => {
    const envelope = readEnvelope(request, stack, readXml);
    if (!versions.includes(envelope.version)) throw wrongMediaType(envelope.version);
    const { answer } = envelope;
    const stated = statedAction(request, envelope);
    const wrapper = onlyElement(envelope, stack);
    const operation = wrapper?.namespace === service.namespace ? wrapper.name : "";
    const read = readers.get(operation);
    if (wrapper === undefined || read === undefined || (stated ?? operation) !== operation) {
      throw toFault(stack.refuse.wrongElement(wrapper, stated, service), answer);
    }
    try {
      return { operation, input: read(wrapper), answer };
    } catch (cause) {
      if (!(cause instanceof PartError)) throw cause;
      const refusal = { ...stack.refuse.badPart(cause, service), hint: cause.hint };
      throw toFault(refusal, answer, cause);
    }
  };
}

/** The operation element. Where a second one is refused, that is because which of them counts would be a guess. */
function onlyElement({ body, answer }: Envelope, { refuse }: SoapStack): XmlElement | undefined {
  if (body.length > 1 && refuse.secondElement !== undefined) {
    throw toFault(refuse.secondElement(body.length), answer);
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
