import { bindings } from "../../contract/bindings.ts";
import type { DescribedApi, DescribedService } from "../described-service.ts";
import { type CallTarget, type CodeSample, callTarget, type ServiceTarget } from "./call-target.ts";
import { csharpLiterals, renderCsharp } from "./csharp.ts";
import {
  asIs,
  type Literals,
  phpLiteral,
  pythonLiterals,
  quotedLiteral,
  scriptLiterals,
  shellWord,
  textLiterals,
} from "./literals.ts";
import { requestJson, type SentPart } from "./request.ts";
import { resourceSamples } from "./resource-samples.ts";
import { sampleCall } from "./sample-call.ts";

interface Language {
  readonly language: string;
  readonly literals: Literals;
  /** Writes the program, given the arguments as literals. */
  readonly render: (target: ServiceTarget, args: readonly SentPart[]) => readonly string[];
}

const languages: readonly Language[] = [
  { language: "curl", literals: textLiterals(asIs), render: renderCurl },
  { language: "fetch", literals: scriptLiterals, render: renderFetch },
  { language: "C#", literals: csharpLiterals, render: renderCsharp },
  {
    language: "PHP",
    // A long goes as text: the integers of PHP have 32 bits on some machines.
    literals: { ...textLiterals(phpLiteral), int: asIs, boolean: asIs },
    render: renderPhp,
  },
  { language: "Python", literals: pythonLiterals, render: renderPython },
];

/**
 * Programs that call an operation with the values of the contract's example, one per language.
 *
 * @throws {RangeError} when the service has no such operation, or the operation no example.
 */
export function codeSamples(
  service: DescribedApi | DescribedService,
  operationName: string,
): readonly CodeSample[] {
  const { operation, sent } = sampleCall(service, operationName, "example");
  return writeSamples(callTarget(service, operationName, operation), sent);
}

/** Programs that call an operation with values. */
export function writeSamples(target: CallTarget, sent: readonly SentPart[]): readonly CodeSample[] {
  if (target.kind === "resource") return resourceSamples(target, sent);
  return languages.map(({ language, literals, render }) => {
    const args = sent.map((part) => ({ ...part, text: literals[part.type](part.text) }));
    return { language, code: render(target, args).join("\n") };
  });
}

/** A POSIX shell command: HTTP GET where the service offers it, otherwise JSON. */
function renderCurl(
  { address, name, hasGet, isVoid }: ServiceTarget,
  args: readonly SentPart[],
): readonly string[] {
  const url = shellWord(`${address}/${name}`);
  if (hasGet) {
    // The response of a void operation has no body: only its head can be shown.
    const options = isVoid ? "--get --include" : "--get";
    const data = args.map((arg) => `--data-urlencode ${shellWord(`${arg.name}=${arg.text}`)}`);
    return [[`curl ${options} ${url}`, ...data].join(" \\\n  ")];
  }
  const type = shellWord(`Content-Type: ${jsonType}`);
  const body = shellWord(requestJson(args));
  return [`curl ${url} \\\n  --header ${type} \\\n  --data-raw ${body}`];
}

const jsonType = `${bindings.json.requestMediaType}; charset=utf-8`;

/** A JavaScript module for pages and for Node.js. */
function renderFetch(
  { address, name, credentials, longs }: ServiceTarget,
  args: readonly SentPart[],
): readonly string[] {
  return [
    `const response = await fetch(${quotedLiteral(`${address}/${name}`)}, {`,
    `  method: ${quotedLiteral(bindings.json.method)},`,
    `  headers: { "Content-Type": ${quotedLiteral(jsonType)} },`,
    ...(credentials ? ['  credentials: "include",'] : []),
    ...(args.some(({ type }) => type === "long")
      ? ["  // A long goes as text, with all its digits: a number would be rounded beyond 2^53."]
      : []),
    "  body: JSON.stringify({",
    ...args.map((arg) => `    ${arg.name}: ${arg.text},`),
    "  }),",
    "});",
    ...printResponse(longs),
  ];
}

function printResponse(longs: readonly string[]): readonly string[] {
  if (longs.length === 0) return ["console.log(await response.text());"];
  return [
    "// A long is read as text, with all its digits: JSON.parse alone would round it beyond 2^53.",
    `const longs = [${longs.map(quotedLiteral).join(", ")}];`,
    "const keepDigits = (name, value, { source }) => (longs.includes(name) ? source : value);",
    "console.log(JSON.stringify(JSON.parse(await response.text(), keepDigits)));",
  ];
}

function renderPhp({ address, name }: ServiceTarget, args: readonly SentPart[]): readonly string[] {
  return [
    "<?php",
    "// Requires the soap extension.",
    `$client = new SoapClient(${phpLiteral(`${address}?wsdl`)});`,
    `$result = $client->${name}([`,
    ...args.map((arg) => `    ${phpLiteral(arg.name)} => ${arg.text},`),
    "]);",
    "echo json_encode($result, JSON_PRETTY_PRINT | JSON_UNESCAPED_UNICODE), PHP_EOL;",
  ];
}

function renderPython(
  { address, name }: ServiceTarget,
  args: readonly SentPart[],
): readonly string[] {
  return [
    "# pip install zeep",
    "import zeep",
    "",
    `client = zeep.Client(${quotedLiteral(`${address}?wsdl`)})`,
    `result = client.service.${name}(`,
    ...args.map((arg) => `    ${arg.name}=${arg.text},`),
    ")",
    "print(result)",
  ];
}
