import { PartError } from "../../codec/part-error.ts";
import type { XmlElement } from "../../codec/xml/element.ts";
import { slotValuesOf } from "../../codec/xml/envelope-template.ts";
import { compileElementReader, type ElementReader, type ReadTexts } from "../../codec/xml/parts.ts";
import { createXmlReader } from "../../codec/xml/reader.ts";
import { bindings } from "../../contract/bindings.ts";
import { Fault, type ResponseForm } from "../../fault.ts";
import type { Call, NamedService } from "../binding.ts";
import type { HttpRequest } from "../http.ts";
import { compileStatedAction, sentAction } from "./action.ts";
import { type Envelope, readDocument, readEnvelope, toFault } from "./envelope.ts";
import { withNamespaceAdvice } from "./namespace-advice.ts";
import type { SoapStack } from "./stack.ts";
import { stackOf } from "./stacks.ts";
import type { SoapVersion } from "./versions.ts";

/** What is known of the call in an envelope without header blocks, and of all others of its kind. */
interface Plan {
  readonly version: SoapVersion;
  /** The action that HTTP carried: with another one, it is another call. */
  readonly action: string | undefined;
  readonly operation: string;
  readonly answer: ResponseForm;
  readonly readTexts: ReadTexts;
}

/**
 * Compiles the decoding of SOAP requests for a service. An envelope that differs only in its texts from one that could be
 * read is the same call around other values, and only those are read (decision 0038).
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
  const understand = compileUnderstanding(service, stack, versions);
  /** They go with the skeletons. */
  const plans = new WeakMap<object, Plan>();
  return (request) => {
    const root = readDocument(request, stack, readXml);
    const filling = slotValuesOf(root);
    if (filling === undefined) return understand(request, root).call;
    const plan = plans.get(filling.template);
    if (plan !== undefined && plan.action === sentAction(request, plan.version)) {
      const input = plan.readTexts(filling.texts);
      const { operation, answer } = plan;
      if (input !== undefined) return { operation, input, responseForm: answer };
    }
    const { call, ...understood } = understand(request, root);
    const made = toPlan(request, call, understood);
    if (made !== undefined) plans.set(filling.template, made);
    return call;
  };
}

/** A call with where it was found. */
interface Understood {
  readonly call: Call;
  readonly envelope: Envelope;
  readonly wrapper: XmlElement;
  readonly reader: ElementReader;
}

function toPlan(
  request: HttpRequest,
  { operation, responseForm: answer }: Call,
  { envelope, wrapper, reader }: Omit<Understood, "call">,
): Plan | undefined {
  const { version, hasBlocks } = envelope;
  const readTexts = hasBlocks ? undefined : reader.readAlike(wrapper);
  if (readTexts === undefined) return undefined;
  return { version, action: sentAction(request, version), operation, answer, readTexts };
}

function compileUnderstanding(
  service: NamedService,
  stack: SoapStack,
  versions: readonly SoapVersion[],
): (request: HttpRequest, root: XmlElement) => Understood {
  const statedAction = compileStatedAction(service, stack);
  const readers = new Map(
    Object.entries(service.contract.operations).map(([name, operation]) => [
      name,
      compileElementReader(operation, service.namespace, stack.rules.textBetweenParts),
    ]),
  );
  return (request, root) => {
    const envelope = readEnvelope(root, stack);
    if (!versions.includes(envelope.version)) throw wrongMediaType(envelope.version);
    const { responseForm } = envelope;
    const stated = statedAction(request, envelope);
    const isOperation = ({ namespace, name }: XmlElement) =>
      namespace === service.namespace && readers.has(name);
    const wrapper = findCall(envelope, stack, isOperation);
    const operation = wrapper?.namespace === service.namespace ? wrapper.name : "";
    const reader = readers.get(operation);
    const isOther = (stated.operation ?? operation) !== operation;
    if (wrapper === undefined || reader === undefined || isOther) {
      const refusal = stack.refuse.wrongElement(wrapper, stated, service);
      throw toFault(withNamespaceAdvice(refusal, service, wrapper, stated.action), responseForm);
    }
    try {
      const call = { operation, input: reader.read(wrapper), responseForm };
      return { call, envelope, wrapper, reader };
    } catch (cause) {
      if (!(cause instanceof PartError)) throw cause;
      const refusal = { ...stack.refuse.badPart(cause, service), hint: cause.hint };
      throw toFault(refusal, responseForm, cause);
    }
  };
}

/** The element of the call. Where a second operation is refused, that is because which of them counts would be a guess. */
function findCall(
  { body, responseForm: answer }: Envelope,
  { refuse }: SoapStack,
  isOperation: (element: XmlElement) => boolean,
): XmlElement | undefined {
  const [first] = body;
  if (body.length < 2 || refuse.secondOperation === undefined) return first;
  const operations = body.filter(isOperation);
  if (operations.length > 1) throw toFault(refuse.secondOperation(operations.length), answer);
  return operations[0] ?? first;
}

function wrongMediaType(version: SoapVersion): Fault {
  const { requestMediaType } = bindings[version.binding];
  return new Fault(
    "unsupported-media",
    `An envelope of this version is sent as ${requestMediaType}.`,
  );
}
