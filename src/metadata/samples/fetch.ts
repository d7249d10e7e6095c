import { bindings } from "../../contract/bindings.ts";
import type { Shape } from "../../contract/operation.ts";
import { quotedLiteral } from "./literals.ts";
import { type SampleCall, type SentPart, sentParts } from "./sample-call.ts";

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
    ...printAnswer(longsOf(operation.result)),
  ];
  return lines.join("\n");
}

function printAnswer(longs: readonly string[]): readonly string[] {
  if (longs.length === 0) return ["console.log(await response.text());"];
  return [
    "// A long is read as text, with all its digits: JSON.parse alone would round it beyond 2^53.",
    `const longs = [${longs.map(quotedLiteral).join(", ")}];`,
    "const keepDigits = (name, value, { source }) => (longs.includes(name) ? source : value);",
    "console.log(JSON.stringify(JSON.parse(await response.text(), keepDigits)));",
  ];
}

function literalOf({ type, text }: SentPart): string {
  return type === "int" || type === "boolean" ? text : quotedLiteral(text);
}

/** Names of the longs in a result. */
function longsOf(result: Shape | undefined): readonly string[] {
  return Object.entries(result?.parts ?? {}).flatMap(([name, { type }]) =>
    typeof type === "string" ? (type === "long" ? [name] : []) : longsOf(type),
  );
}
