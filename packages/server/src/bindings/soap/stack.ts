import type { PartError } from "../../codec/parts.ts";
import type { XmlElement } from "../../codec/xml/reader.ts";
import type { XmlLayout } from "../../codec/xml/writer.ts";
import type { FaultCode } from "../../fault.ts";
import type { NamedService } from "../binding.ts";
import type { SoapVersion } from "./versions.ts";

/** Code and messages of a refused call; the messages are joined (`fault.ts`). */
export interface Refusal {
  readonly code: FaultCode;
  readonly messages: readonly string[];
}

/** The operation that a request names outside of its Body. */
export interface StatedAction {
  /** The action to the letter; undefined where none was sent. */
  readonly action: string | undefined;
  /** The operation of that action; undefined where only the Body decides. */
  readonly operation: string | undefined;
}

/** Style in which a stack writes its envelopes. */
export interface EnvelopeStyle {
  /** Text before the envelope. */
  readonly prologue: string;
  /** Prefix of the envelope's namespace. */
  readonly prefix: string;
  /** Namespaces declared on the envelope beside its own, as attributes with a space before each. */
  readonly declarations: string;
  readonly emptyEnd: XmlLayout["emptyEnd"];
  readonly nil: XmlLayout["nil"];
  /** Declaration of the prefix of nil, where the envelope has none: on the result element. */
  readonly resultDeclaration: string;
  /** Result element of an operation that found nothing: left out, or nil. */
  readonly nullResult: "absent" | "nil";
  /** True when faults have a detail element. */
  readonly faultDetail: boolean;
  /** `xml:lang` of the text of a fault, by binding; `""` for none. */
  readonly faultLanguage: { readonly soap11: string; readonly soap12: string };
  /** Cache-Control of the response of an operation. */
  readonly caching: string;
}

/** Rules by which a stack reads envelopes, beyond SOAP itself. */
export interface ReadingRules {
  /** Header blocks for another actor or role are examined, or ignored. */
  readonly headersForOthers: "examined" | "ignored";
  /** True when blocks of WS-Addressing are understood. */
  readonly addressing: boolean;
  /** A SOAP 1.1 request without an action is routed by its Body, or refused. */
  readonly missingAction: "body-decides" | "refused";
  /** An unknown action of SOAP 1.2 is ignored, or refused. */
  readonly unknownAction12: "ignored" | "refused";
  readonly textBetweenParts: "ignored" | "refused";
}

/** One of the two stacks that old clients were written against: all that differs between them. */
export interface SoapStack {
  readonly style: EnvelopeStyle;
  readonly rules: ReadingRules;
  /** Names of fault codes that are the stack's own, beside those of SOAP. */
  readonly subcodes: Readonly<Partial<Record<FaultCode, { namespace: string; name: string }>>>;
  readonly refuse: Refusals;
}

/** A service over one version of SOAP. */
export interface SoapService {
  readonly service: NamedService;
  readonly stack: SoapStack;
  readonly version: SoapVersion;
}

/** The refusal of each kind of wrong call. */
export interface Refusals {
  malformed(reason: string, at?: { line: number; column: number }): Refusal;
  otherEnvelope(root: XmlElement): Refusal;
  missingElement(name: "Envelope" | "Body"): Refusal;
  mandatoryHeader(block: XmlElement): Refusal;
  unknownAction(action: string): Refusal;
  /** Refuses a second operation in the Body; left out where the first element is the call. */
  secondOperation?(count: number): Refusal;
  /** The Body holds no operation, or another than the action names. */
  wrongElement(found: XmlElement | undefined, stated: StatedAction, service: NamedService): Refusal;
  badPart(error: PartError, service: NamedService): Refusal;
  /** Messages of an error of ours. */
  internal: readonly string[];
}

/** An element for people: its name and its namespace. */
export function describeElement(element: XmlElement | undefined): string {
  if (element === undefined) return "no element";
  const { name, namespace } = element;
  return `${name} in ${namespace === "" ? "no namespace" : `namespace ${cutNamespace(namespace)}`}`;
}

/** Most of a namespace that a message repeats, in UTF-16 units; names are limited by the reader. */
const namespaceMax = 200;

/** A namespace as messages repeat it. */
export function cutNamespace(namespace: string): string {
  return namespace.slice(0, namespaceMax);
}
