import { escapeText } from "../../codec/xml/escape.ts";
import { type Fault, type FaultCode, messageSeparator, type ResponseForm } from "../../fault.ts";
import { commonStatuses, type NamedService } from "../binding.ts";
import type { HttpResponse } from "../http.ts";
import { faultResponse } from "./encode.ts";
import type { EnvelopeStyle, SoapStack } from "./stack.ts";
import { stackOf } from "./stacks.ts";
import type { SoapVersion } from "./versions.ts";

/** What a version of SOAP writes of a fault. */
export interface FaultContent {
  readonly code: FaultCode;
  /** Name that the stack has for the code, beside that of SOAP. */
  readonly own: SoapStack["subcodes"][FaultCode];
  /** Escaped. */
  readonly text: string;
  /** Whether an empty detail stands at the end. */
  readonly hasDetail: boolean;
}

/** How a version of SOAP writes faults. */
export interface FaultWriter {
  readonly version: SoapVersion;
  /** Content of the element of the fault. */
  write(content: FaultContent, form: EnvelopeStyle): string;
  /** Header of the envelope; `""` for none. */
  header(code: FaultCode): string;
}

/** Statuses of faults; 500 where none is named, since clients in the field lose a fault that comes with 400 (decision 0006). */
const statuses: Readonly<Partial<Record<FaultCode, number>>> = commonStatuses;

/** Compiles the answers to faults of one version for a service. */
export function compileSoapFault(
  service: NamedService,
  { version, write, header }: FaultWriter,
): (fault: Fault, answer: ResponseForm) => HttpResponse {
  const stack = stackOf(service);
  return ({ code, messages }, { addressing }) => {
    const shown = code === "receiver" ? stack.refuse.internal : messages;
    const content: FaultContent = {
      code,
      own: stack.subcodes[code],
      text: escapeText(shown.join(messageSeparator)),
      // Detail is about the Body, so a fault about a header block has none (SOAP 1.1 §4.4, SOAP 1.2 Part 1 §5.4.5).
      hasDetail: stack.style.faultDetail && code !== "must-understand",
    };
    const around = { version, stack, addressing, header: header(code) };
    return faultResponse(statuses[code] ?? 500, write(content, stack.style), around);
  };
}
