import type { BindingName } from "./contract/bindings.ts";

/** All fault codes. */
export const faultCodes = [
  /** The call is wrong. */
  "sender",
  /** The call names an unknown operation. */
  "unknown-operation",
  /** The call names a thing that is not there; only REST has such calls. */
  "not-found",
  /** A part of the call does not fit its type. */
  "unreadable-part",
  /** The origin of the caller is not allowed. */
  "forbidden",
  /** The call needs a token and has none that is valid; only REST has such calls. */
  "unauthorized",
  /** The token of the call does not allow it; only REST has such calls. */
  "forbidden-token",
  /** The message is not one at all: bad bytes, malformed XML. */
  "malformed",
  /** The message is longer than the limit. */
  "too-large",
  /** The media type or the encoding of the message is not supported. */
  "unsupported-media",
  /** The envelope is not of SOAP 1.1 or 1.2. */
  "version-mismatch",
  /** A header that must be understood is not. */
  "must-understand",
  /** We have too much to do; the same call may succeed later. */
  "busy",
  /** Something that the call needs does not work; the same call may succeed later. */
  "unavailable",
  /** We cannot serve the call; the reason must not leave the process. */
  "receiver",
] as const;

/** Whose mistake a fault is; every binding names and numbers them in a table of its own. */
export type FaultCode = (typeof faultCodes)[number];

/** Form of the response to a call, which its request decides. */
export interface ResponseForm {
  readonly binding: BindingName;
  /** WS-Addressing of the response; only where the request has it. */
  readonly addressing?: Addressing;
}

/** Reference of a response to its request (WS-Addressing 1.0 Core §3.4). */
export interface Addressing {
  /** The request's message ID; undefined without one. */
  readonly relatesTo: string | undefined;
}

/** Stands between a message and its reason (wire case `get-int-abc`). */
export const messageSeparator = " ---> ";

/** An error in one part of a call. */
export interface FieldError {
  /** Name of the part as the caller spells it; `""` for the body as a whole. */
  readonly field: string;
  /** Which item of a list, counted from 0. */
  readonly index?: number;
  /** The error and its fix. */
  readonly detail: string;
}

/** Details of a fault beside its code and message. */
export interface FaultDetails {
  readonly cause?: unknown;
  readonly hint?: string;
  readonly fields?: readonly FieldError[];
  readonly responseForm?: ResponseForm;
}

/** An error that is sent to the caller, in the form that the binding defines. */
export class Fault extends Error {
  readonly code: FaultCode;
  /** Event, then reason; the message joins them as the reference stack does. */
  readonly messages: readonly string[];
  /** Facts for the log that the message, fixed by the wire, has no room for. */
  readonly hint: string | undefined;
  /** Errors in single parts, for bindings that can name them. */
  readonly fields: readonly FieldError[];
  /** Form of its response, where that is not the form of the binding that decoded the request. */
  readonly responseForm: ResponseForm | undefined;

  constructor(code: FaultCode, what: string | readonly string[], details: FaultDetails = {}) {
    const messages = typeof what === "string" ? [what] : what;
    const options = details.cause === undefined ? undefined : { cause: details.cause };
    super(messages.join(messageSeparator), options);
    this.messages = messages;
    this.name = "Fault";
    this.code = code;
    this.hint = details.hint;
    this.fields = details.fields ?? [];
    this.responseForm = details.responseForm;
  }

  /** The fault, or a receiver fault with the reason as its cause, which no response tells. */
  static from(reason: unknown): Fault {
    return reason instanceof Fault
      ? reason
      : new Fault("receiver", "Internal error", { cause: reason });
  }
}

/** Longest origin that a response repeats, in characters: the longest name needs some 270. */
export const originMax = 300;

/** Names the pages of an origin in a refusal. */
export function pagesOf(origin: string | null): string {
  return `Pages of ${origin?.slice(0, originMax) || "another site"}`;
}

/** The fault of a request whose body is longer than a limit in bytes. */
export function tooLarge(bytesMax: number): Fault {
  return new Fault("too-large", `The body is longer than the limit of ${bytesMax} bytes.`);
}
