import { decodeXml, EncodingError, InvalidBytesError } from "../../codec/decode-text.ts";
import { PartError } from "../../codec/parts.ts";
import { EnvelopeTemplates, type SlotOf } from "../../codec/xml/envelope-template.ts";
import {
  compileElementReader,
  type ElementReader,
  type SlotReader,
} from "../../codec/xml/parts.ts";
import { createXmlReader, type XmlElement, XmlError } from "../../codec/xml/reader.ts";
import { bindings } from "../../contract/bindings.ts";
import { Fault, type ResponseForm } from "../../fault.ts";
import { type Binding, type Call, compileOperations } from "../binding.ts";
import { type HttpRequest, headerOf } from "../http.ts";
import { compileStatedAction, namespaceAdvice } from "./action.ts";
import { type Envelope, readEnvelope, toFault } from "./envelope.ts";
import { describeElement, type SoapService, type SoapStack } from "./stack.ts";
import { type SoapVersion, soap11Version } from "./versions.ts";

/** Call of all envelopes of a template, but for the values of its slots. */
interface CallTemplate {
  readonly version: SoapVersion;
  /** As sent in HTTP: an envelope with another action is another call. */
  readonly action: string | undefined;
  readonly operation: string;
  readonly responseForm: ResponseForm;
  readonly readSlots: SlotReader;
}

/**
 * Compiles the decoding of SOAP requests for a service. An envelope that differs only in texts from
 * one that was read is the same call around other values, and only those are read (decision 0038).
 *
 * @param accepted versions whose envelopes may come under the binding's content type; an envelope
 *   of the other one is refused as unsupported media.
 */
export function compileSoapDecode(
  soap: Pick<SoapService, "service" | "stack">,
  accepted: readonly SoapVersion[],
  fastPath: boolean,
): Binding["decode"] {
  const templates = fastPath ? new EnvelopeTemplates<CallTemplate>() : undefined;
  const readXml = createXmlReader();
  const interpret = compileInterpreter(soap, accepted);
  return (request) => {
    try {
      const document = decodeXml(request.body, request.contentType?.charset);
      const match = templates?.match(document);
      if (match !== undefined) {
        const { version, action, operation, responseForm, readSlots } = match.meaning;
        const isSame = sentAction(request, version) === action;
        const input = isSame ? readSlots(match.values) : undefined;
        if (input !== undefined) return { operation, input, responseForm };
      }
      const root = readXml(document);
      const read = interpret(request, root);
      templates?.add(document, root, (slotOf) => toTemplate(request, read, slotOf));
      return read.call;
    } catch (cause) {
      throw documentFault(cause, soap.stack);
    }
  };
}

/** Action as sent over HTTP: in a header of its own, or in the content type. */
function sentAction(request: HttpRequest, version: SoapVersion): string | undefined {
  return version === soap11Version ? headerOf(request, "soapaction") : request.contentType?.action;
}

/** A call with where it was found. */
interface ReadCall {
  readonly call: Call;
  readonly envelope: Envelope;
  readonly element: XmlElement;
  readonly reader: ElementReader;
}

/** Makes a template of an envelope without header blocks: those may differ in meaning each time. */
function toTemplate(
  request: HttpRequest,
  { call, envelope, element, reader }: ReadCall,
  slotOf: SlotOf,
): CallTemplate | undefined {
  const { version, hasBlocks } = envelope;
  const readSlots = hasBlocks ? undefined : reader.compileSlots(element, slotOf);
  if (readSlots === undefined) return undefined;
  const { operation, responseForm } = call;
  return { version, action: sentAction(request, version), operation, responseForm, readSlots };
}

function compileInterpreter(
  { service, stack }: Pick<SoapService, "service" | "stack">,
  accepted: readonly SoapVersion[],
): (request: HttpRequest, root: XmlElement) => ReadCall {
  const statedAction = compileStatedAction(service, stack);
  const readers = compileOperations(service, (operation) =>
    compileElementReader(operation, service.namespace, stack.rules.textBetweenParts),
  );
  const isOperation = ({ namespace, name }: XmlElement) =>
    namespace === service.namespace && readers.has(name);
  return (request, root) => {
    const envelope = readEnvelope(root, stack);
    const { version, responseForm } = envelope;
    if (!accepted.includes(version)) throw wrongMediaType(version);
    const stated = statedAction(sentAction(request, version), envelope);
    const element = findCall(envelope, stack, isOperation);
    const operation = element?.namespace === service.namespace ? element.name : "";
    const reader = readers.get(operation);
    const isOther = (stated.operation ?? operation) !== operation;
    if (element === undefined || reader === undefined || isOther) {
      const advice = namespaceAdvice(service, element, stated.action);
      const hint = `The Body holds ${describeElement(element)}${advice}`;
      throw toFault(stack.refuse.wrongElement(element, stated, service), { responseForm, hint });
    }
    try {
      const call = { operation, input: reader.read(element), responseForm };
      return { call, envelope, element, reader };
    } catch (cause) {
      if (!(cause instanceof PartError)) throw cause;
      const { hint } = cause;
      throw toFault(stack.refuse.badPart(cause, service), { responseForm, hint, cause });
    }
  };
}

/** Finds the element of the call. A second operation is refused: either would be a guess. */
function findCall(
  { body, responseForm }: Envelope,
  { refuse }: SoapStack,
  isOperation: (element: XmlElement) => boolean,
): XmlElement | undefined {
  const [first] = body;
  if (body.length < 2 || refuse.secondOperation === undefined) return first;
  const operations = body.filter(isOperation);
  if (operations.length > 1)
    throw toFault(refuse.secondOperation(operations.length), { responseForm });
  return operations[0] ?? first;
}

function wrongMediaType({ binding }: SoapVersion): Fault {
  const { requestMediaType } = bindings[binding];
  const message = `An envelope of this version is sent as ${requestMediaType}.`;
  return new Fault("unsupported-media", message);
}

/** The fault of a request that is no document; anything else is thrown on as it is. */
function documentFault(cause: unknown, { refuse }: SoapStack): unknown {
  if (cause instanceof EncodingError) {
    return new Fault("unsupported-media", cause.message, { cause });
  }
  if (cause instanceof XmlError) {
    const hint = `line ${cause.line}, column ${cause.column}`;
    return toFault(refuse.malformed(cause.message, cause), { hint, cause });
  }
  if (cause instanceof InvalidBytesError) {
    const reason = "The bytes of the message are not valid in its character encoding.";
    return toFault(refuse.malformed(reason), { hint: "bytes", cause });
  }
  return cause;
}
