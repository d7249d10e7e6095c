import type { PartError } from "../../codec/part-error.ts";
import type { XmlElement } from "../../codec/xml/element.ts";
import type { XmlLayout } from "../../codec/xml/writer.ts";
import type { FaultCode } from "../../fault.ts";
import type { NamedService } from "../binding.ts";

/** What is said of a call that is refused; the messages are joined (`fault.ts`). */
export interface Refusal {
  readonly code: FaultCode;
  readonly messages: readonly string[];
  /** For the log, where the messages have no room. */
  readonly hint?: string;
}

/** What a request says of its operation beside its Body. */
export interface StatedAction {
  /** The action to the letter; undefined where none was sent. */
  readonly action: string | undefined;
  /** The operation of that action; undefined where the Body decides alone. */
  readonly operation: string | undefined;
}

/** How a stack writes its envelopes. */
export interface EnvelopeStyle {
  /** What comes before the envelope. */
  readonly prologue: string;
  /** Prefix of the envelope's namespace. */
  readonly prefix: string;
  /** Namespaces declared on the envelope beside its own, as attributes with a blank before each. */
  readonly declarations: string;
  readonly emptyEnd: XmlLayout["emptyEnd"];
  readonly nil: XmlLayout["nil"];
  /** Declaration of the prefix of nil, where the envelope has none: on the result element. */
  readonly resultDeclaration: string;
  /** Whether a result that is not there leaves no element, or one that is nil. */
  readonly nullResult: "absent" | "nil";
  readonly faultDetail: boolean;
  /** `xml:lang` of the text of a fault, by binding; `""` for none. */
  readonly faultLanguage: { readonly soap11: string; readonly soap12: string };
  /** Cache-Control of an answer that an operation gave. */
  readonly caching: string;
}

/** How a stack reads envelopes, beyond what SOAP itself says. */
export interface ReadingRules {
  /** Header blocks for another actor or role are looked at, or left to whom they are for. */
  readonly headersForOthers: "examined" | "ignored";
  /** Whether blocks of WS-Addressing are understood. */
  readonly addressing: boolean;
  /** A SOAP 1.1 request without an action is routed by its Body, or refused. */
  readonly missingAction: "body-decides" | "refused";
  /** An action of SOAP 1.2 that is none of the service's does not count, or is refused. */
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

/** What a stack says of each way in which a call can be wrong. */
export interface Refusals {
  malformed(reason: string, at?: { line: number; column: number }): Refusal;
  otherEnvelope(root: XmlElement): Refusal;
  missingElement(name: "Envelope" | "Body"): Refusal;
  mandatoryHeader(block: XmlElement): Refusal;
  unknownAction(action: string): Refusal;
  /** More than one operation in the Body; left out where its first element is the call, whatever follows. */
  secondOperation?(count: number): Refusal;
  /** The Body holds no operation, or another than the action says. */
  wrongElement(found: XmlElement | undefined, stated: StatedAction, service: NamedService): Refusal;
  badPart(error: PartError, service: NamedService): Refusal;
  /** An error of ours. */
  internal: readonly string[];
}
