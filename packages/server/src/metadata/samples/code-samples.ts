import type { Described } from "../described-service.ts";
import {
  type ProgramCall,
  renderCurl,
  renderFetch,
  renderHttpClient,
  renderPhpRequest,
  renderRequests,
} from "./http-samples.ts";
import { fillRequest, type SentPart } from "./request.ts";
import { renderClient, renderWebPage } from "./resource-samples.ts";
import { sampleCall } from "./sample-call.ts";
import { type CallFormat, type SampleTarget, sampleTarget } from "./sample-target.ts";
import { renderGeneratedClient, renderSoapClient, renderZeep } from "./soap-samples.ts";

/** A complete program that makes one call and prints the result. */
export interface CodeSample {
  /** Name of the language or tool, for example curl, fetch or C#. */
  readonly language: string;
  /** Without a line end at the end. */
  readonly code: string;
}

/** Lines of a program, false ones left out; undefined where a language has none for a call. */
type Program = (call: ProgramCall) => readonly (string | false)[] | undefined;

const everywhere = { curl: renderCurl, fetch: renderFetch };

/** The programs of each language: over SOAP, over the other bindings of a service, and for REST. */
const programs: Readonly<Record<"soap" | "http" | "rest", Readonly<Record<string, Program>>>> = {
  soap: {
    ...everywhere,
    "C#": renderGeneratedClient,
    PHP: renderSoapClient,
    Python: renderZeep,
  },
  http: {
    ...everywhere,
    "C#": renderHttpClient,
    PHP: renderPhpRequest,
    Python: renderRequests,
  },
  rest: {
    ...everywhere,
    "TypeScript client": renderClient,
    Python: renderRequests,
    "C#": renderHttpClient,
    "Web page": renderWebPage,
  },
};

/**
 * Programs that call an operation with the values of the contract's example, one per language.
 *
 * @throws {RangeError} when the service has no such operation, or the operation no example.
 */
export function codeSamples(
  service: Described,
  operationName: string,
  format: CallFormat,
): readonly CodeSample[] {
  const { operation, sent } = sampleCall(service, operationName, "example");
  return writeSamples(sampleTarget(service, operationName, operation, format), sent);
}

/** Programs that call an operation with values. */
export function writeSamples(
  target: SampleTarget,
  sent: readonly SentPart[],
): readonly CodeSample[] {
  const { binding, description, address } = target;
  const call = { target, sent, request: fillRequest(description, address, sent) };
  const kind = description.partsAs === "elements" ? "soap" : binding === "rest" ? "rest" : "http";
  return Object.entries(programs[kind]).flatMap(([language, write]) => {
    const lines = write(call);
    if (lines === undefined) return [];
    return [{ language, code: lines.filter((line) => line !== false).join("\n") }];
  });
}
