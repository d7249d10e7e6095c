import type { ScalarName } from "../../contract/operation.ts";
import { quotedLiteral } from "./literals.ts";
import { type SampleCall, sentParts } from "./sample-call.ts";

/** A program of Python that makes a call with zeep. */
export function pythonCall(call: SampleCall): string {
  const { service, name } = call;
  const lines = [
    "# pip install zeep",
    "import zeep",
    "",
    `client = zeep.Client(${quotedLiteral(`${service.address}?wsdl`)})`,
    `answer = client.service.${name}(`,
    ...sentParts(call).map((part) => `    ${part.name}=${literals[part.type](part.text)},`),
    ")",
    "print(answer)",
  ];
  return lines.join("\n");
}

const asIs = (text: string) => text;

/** Integers of Python have any number of digits. */
const literals: Readonly<Record<ScalarName, (text: string) => string>> = {
  string: quotedLiteral,
  int: asIs,
  long: asIs,
  boolean: (text) => (text === "true" ? "True" : "False"),
  dateTime: quotedLiteral,
};
