import { bindings } from "../contract/bindings.ts";
import type { Shape } from "../contract/operation.ts";
import { quotedLiteral } from "./call-literals.ts";
import { type SampleCall, type SentPart, sentParts } from "./sample-values.ts";

/** A module of JavaScript, for pages and for Node.js, that makes a call as JSON. */
export function fetchCall(call: SampleCall): string {
  const { service, name, operation } = call;
  const parts = sentParts(call);
  const type = `${bindings.json.requestMediaType}; charset=utf-8`;
  const lines = [
    `const response = await fetch(${quotedLiteral(`${service.address}/${name}`)}, {`,
    `  method: ${quotedLiteral(bindings.json.method)},`,
    `  headers: { "Content-Type": ${quotedLiteral(type)} },`,
    ...(operation.credentials === true ? ['  credentials: "include",'] : []),
    ...(parts.some(({ type: kind }) => kind === "long")
      ? ["  // A long goes as text, with all its digits: a number would be rounded beyond 2^53."]
      : []),
    "  body: JSON.stringify({",
    ...parts.map((part) => `    ${part.name}: ${literalOf(part)},`),
    "  }),",
    "});",
    ...(operation.result !== undefined && holdsLong(operation.result)
      ? ["// As text, since JSON.parse would round a long."]
      : []),
    "console.log(await response.text());",
  ];
  return lines.join("\n");
}

function literalOf({ type, text }: SentPart): string {
  return type === "int" || type === "boolean" ? text : quotedLiteral(text);
}

function holdsLong({ parts }: Shape): boolean {
  return Object.values(parts).some(({ type }) =>
    typeof type === "string" ? type === "long" : holdsLong(type),
  );
}
