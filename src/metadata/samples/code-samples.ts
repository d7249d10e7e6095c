import type { DescribedService } from "../described-service.ts";
import { csharpCall } from "./csharp.ts";
import { curlCall } from "./curl.ts";
import { fetchCall } from "./fetch.ts";
import { phpCall } from "./php.ts";
import { pythonCall } from "./python.ts";
import { sampleCall } from "./sample-call.ts";

/** A whole program that makes one call and prints the answer. */
export interface CodeSample {
  /** What it is written in, for people: curl, fetch, C#, PHP or Python. */
  readonly language: string;
  /** Ends without a line end. */
  readonly code: string;
}

/**
 * Programs that call an operation at the address of its service, with the values of the contract's example, in
 * the order of the languages.
 *
 * @throws {RangeError} when the service has no such operation, or the contract no example of it.
 */
export function codeSamples(
  service: DescribedService,
  operationName: string,
): readonly CodeSample[] {
  const call = sampleCall(service, operationName, "example");
  return languages.map(({ language, render }) => ({ language, code: render(call) }));
}

const languages = [
  { language: "curl", render: curlCall },
  { language: "fetch", render: fetchCall },
  { language: "C#", render: csharpCall },
  { language: "PHP", render: phpCall },
  { language: "Python", render: pythonCall },
] as const;
