import {
  type Literal,
  phpLiteral,
  phpValue,
  pythonValue,
  quotedLiteral,
  scriptValue,
  shellWord,
  templateLiteral,
} from "./literals.ts";
import type { ClientRequest, SentPart } from "./request.ts";
import type { SampleTarget } from "./sample-target.ts";

// Programs that send a request without a generated client: curl and fetch over any binding, the
// others over HTTP GET, HTTP POST, JSON and REST.

/** A call with its values, as a program makes it. */
export interface ProgramCall {
  readonly target: SampleTarget;
  readonly sent: readonly SentPart[];
  readonly request: ClientRequest;
}

/** Lines of the members of an object, by default of JavaScript. */
export function members(
  sent: readonly SentPart[],
  literal: Literal = scriptValue,
  write = (name: string, text: string) => `${name}: ${text}`,
): readonly string[] {
  return sent.map((part) => `  ${write(part.name, literal(part))},`);
}

/** Part of the response that a program prints. Without a body there is only the status. */
function resultOf({ binding, isVoid, description }: SampleTarget): "status" | "json" | "text" {
  const isRest = binding === "rest";
  if (isVoid && (isRest || description.partsAs === "fields")) return "status";
  return isRest ? "json" : "text";
}

/** A POSIX shell command. */
export function renderCurl({ target, request }: ProgramCall): readonly string[] {
  const { url, headers, body } = request;
  const options = Object.entries(headers).map(
    ([name, value]) => `--header ${shellWord(`${name}: ${value}`)}`,
  );
  if (body !== null) options.push(`--data-raw ${shellWord(body)}`);
  const command = resultOf(target) === "status" ? "curl --include" : "curl";
  return [[`${command} ${shellWord(url)}`, ...options].join(" \\\n  ")];
}

/** A JavaScript module for pages and for Node.js. */
export function renderFetch({ target, sent, request }: ProgramCall): readonly (string | false)[] {
  const { url, method, headers, body } = request;
  const { partsAs } = target.description;
  const fields = Object.entries(headers).map((field) => field.map(quotedLiteral).join(": "));
  if (method === "GET") {
    const options = fields.length === 0 ? "" : `, {\n  headers: { ${fields.join(", ")} },\n}`;
    return [
      `const response = await fetch(${quotedLiteral(url)}${options});`,
      ...printResponse(target),
    ];
  }
  const isJson = partsAs === "members";
  const write = isJson ? "JSON.stringify(" : "new URLSearchParams(";
  const object = [`  body: ${write}{`, ...members(sent).map((line) => `  ${line}`), "  }),"];
  return [
    `const response = await fetch(${quotedLiteral(url)}, {`,
    '  method: "POST",',
    `  headers: { ${fields.join(", ")} },`,
    target.credentials && '  credentials: "include",',
    isJson &&
      sent.some(({ type }) => type === "long") &&
      "  // A long goes as text, with all its digits: a number would be rounded beyond 2^53.",
    ...(partsAs === "elements" ? [`  body: ${templateLiteral(body ?? "")},`] : object),
    "});",
    ...printResponse(target),
  ];
}

function printResponse(target: SampleTarget): readonly string[] {
  const printed = {
    status: "response.status",
    json: "await response.json()",
    text: "await response.text()",
  };
  const { binding, longs } = target;
  if (binding !== "json" || longs.length === 0) {
    return [`console.log(${printed[resultOf(target)]});`];
  }
  return [
    "// A long is read as text, with all its digits: JSON.parse alone would round it beyond 2^53.",
    `const longs = [${longs.map(quotedLiteral).join(", ")}];`,
    "const keepDigits = (name, value, { source }) => (longs.includes(name) ? source : value);",
    "console.log(JSON.stringify(JSON.parse(await response.text(), keepDigits)));",
  ];
}

/** A Python program with requests. */
export function renderRequests({ target, sent, request }: ProgramCall): readonly string[] {
  const url = quotedLiteral(request.url);
  const argument = target.description.partsAs === "fields" ? "data" : "json";
  // A long goes as text, as REST reads it.
  const literal: Literal = (part) => (part.type === "long" ? scriptValue : pythonValue)(part);
  const object = members(sent, literal, (name, text) => `  ${quotedLiteral(name)}: ${text}`);
  const printed = { status: "status_code", json: "json()", text: "text" };
  const fields = Object.entries(request.headers).map((field) =>
    field.map(quotedLiteral).join(": "),
  );
  const headers = fields.length === 0 ? "" : `, headers={${fields.join(", ")}}`;
  return [
    "# pip install requests",
    "import requests",
    "",
    ...(request.method === "GET"
      ? [`response = requests.get(${url}, timeout=10${headers})`]
      : [`response = requests.post(${url}, timeout=10, ${argument}={`, ...object, "})"]),
    `print(response.${printed[resultOf(target)]})`,
  ];
}

/** A C# program with HttpClient. */
export function renderHttpClient({ target, sent, request }: ProgramCall): readonly string[] {
  const url = quotedLiteral(request.url);
  const client = "using var client = new HttpClient();";
  if (request.method === "GET") {
    const headers = Object.entries(request.headers).map(
      ([name, value]) =>
        `client.DefaultRequestHeaders.Add(${quotedLiteral(name)}, ${quotedLiteral(value)});`,
    );
    return [client, ...headers, `Console.WriteLine(await client.GetStringAsync(${url}));`];
  }
  const text = "await response.Content.ReadAsStringAsync()";
  const print = `Console.WriteLine(${resultOf(target) === "status" ? "response.StatusCode" : text});`;
  if (target.description.partsAs === "fields") {
    const fields = sent.map(
      (part) => `  [${quotedLiteral(part.name)}] = ${quotedLiteral(part.text)},`,
    );
    const content = "new FormUrlEncodedContent(new Dictionary<string, string>";
    const call = `var response = await client.PostAsync(${url}, ${content}`;
    return [client, call, "{", ...fields.map((field) => `  ${field}`), "}));", print];
  }
  const object = members(sent, scriptValue, (name, value) => `  ${name} = ${value}`);
  const call = `var response = await client.PostAsJsonAsync(${url}, new`;
  return ["using System.Net.Http.Json;\n", client, call, "{", ...object, "});", print];
}

/** A PHP program without extensions. */
export function renderPhpRequest({ target, sent, request }: ProgramCall): readonly string[] {
  const { method, headers } = request;
  const url = phpLiteral(request.url);
  if (method === "GET") return ["<?php", `echo file_get_contents(${url}), PHP_EOL;`];
  const encode = target.description.partsAs === "fields" ? "http_build_query" : "json_encode";
  const fields = Object.entries(headers).map((field) => phpLiteral(field.join(": ")));
  return [
    "<?php",
    `$content = ${encode}([`,
    ...members(sent, phpValue, (name, text) => `${phpLiteral(name)} => ${text}`),
    "]);",
    `$http = ['method' => 'POST', 'header' => [${fields.join(", ")}], 'content' => $content];`,
    "$context = stream_context_create(['http' => $http]);",
    `echo file_get_contents(${url}, false, $context), PHP_EOL;`,
  ];
}
