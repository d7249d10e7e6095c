import type { BindingName } from "./contract/bindings.ts";

/** Whose mistake a fault is; every binding names and numbers them in a table of its own. */
export type FaultCode =
  /** The call is wrong. */
  | "sender"
  /** The message is not one at all: bad bytes, malformed XML. */
  | "malformed"
  /** The message is longer than the limit. */
  | "too-large"
  /** The message is typed or encoded in a way that is not read here. */
  | "unsupported-media"
  /** The envelope belongs to no version of SOAP that is spoken here. */
  | "version-mismatch"
  /** A header that must be understood is not. */
  | "must-understand"
  /** We cannot serve the call. */
  | "receiver";

/** What a caller sees of an error whose reason must not leave the process. */
const internalError = "The request could not be processed because of an internal error";

/** Stands between a message and its reason (wire case `get-int-abc`). */
export const messageSeparator = " ---> ";

/** What a fault carries beside its code and its message. */
export interface FaultDetails {
  readonly cause?: unknown;
  readonly hint?: string;
  readonly answerAs?: BindingName;
}

/** An error that is answered to the caller, in the form that the binding defines. */
export class Fault extends Error {
  readonly code: FaultCode;
  /** What happened, then why; the message joins them in the manner of the reference stack. */
  readonly messages: readonly string[];
  /** Facts for the log that the message, fixed by the wire, has no room for. */
  readonly hint: string | undefined;
  /** The binding that answers it, where that is not the one that read the request. */
  readonly answerAs: BindingName | undefined;

  constructor(code: FaultCode, what: string | readonly string[], details: FaultDetails = {}) {
    const messages = typeof what === "string" ? [what] : what;
    const options = details.cause === undefined ? undefined : { cause: details.cause };
    super(messages.join(messageSeparator), options);
    this.messages = messages;
    this.name = "Fault";
    this.code = code;
    this.hint = details.hint;
    this.answerAs = details.answerAs;
  }

  /** The fault itself; any other reason becomes a receiver fault that tells nothing of it, with the reason as its cause. */
  static from(reason: unknown): Fault {
    return reason instanceof Fault
      ? reason
      : new Fault("receiver", internalError, { cause: reason });
  }
}
