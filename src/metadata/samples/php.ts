import { phpLiteral } from "./literals.ts";
import { type SampleCall, type SentPart, sentParts } from "./sample-call.ts";

/** A program of PHP that makes a call with its SoapClient. */
export function phpCall(call: SampleCall): string {
  const { service, name } = call;
  const lines = [
    "<?php",
    "// Needs PHP's extension soap.",
    `$client = new SoapClient(${phpLiteral(`${service.address}?wsdl`)});`,
    `$answer = $client->${name}([`,
    ...sentParts(call).map((part) => `    ${phpLiteral(part.name)} => ${literalOf(part)},`),
    "]);",
    "echo json_encode($answer, JSON_PRETTY_PRINT | JSON_UNESCAPED_UNICODE), PHP_EOL;",
  ];
  return lines.join("\n");
}

/** A long is text, since the integers of PHP have 32 bits on some machines. */
function literalOf({ type, text }: SentPart): string {
  return type === "int" || type === "boolean" ? text : phpLiteral(text);
}
