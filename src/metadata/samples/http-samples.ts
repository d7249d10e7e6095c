import type { CallTarget } from "./call-target.ts";
import {
  type Literals,
  phpLiteral,
  phpLiterals,
  pythonLiterals,
  quotedLiteral,
  scriptLiterals,
  shellWord,
  templateLiteral,
  textLiterals,
} from "./literals.ts";
import { fillRequest, type SentPart } from "./request.ts";

// Programs that send a request without a generated client: curl and fetch over any binding, the others over HTTP GET,
// HTTP POST, JSON and REST.

/** Lines of the members of an object, by default of JavaScript. */
export function members(
  sent: readonly SentPart[],
  literals: Literals = scriptLiterals,
  write = (name: string, text: string) => `${name}: ${text}`,
): readonly string[] {
  return sent.map(({ name, type, text }) => `  ${write(name, literals[type](text))},`);
}

/** Part of the response that a program prints. Without a body there is only the status. */
function resultOf({ kind, isVoid, request }: CallTarget): "status" | "json" | "text" {
  if (isVoid && (kind === "resource" || request.partsAs === "fields")) return "status";
  return kind === "resource" ? "json" : "text";
}

/** A POSIX shell command. */
export function renderCurl(target: CallTarget, sent: readonly SentPart[]): readonly string[] {
  const { url, headers, body } = fillRequest(target.request, target.address, sent);
  const command = resultOf(target) === "status" ? "curl --include" : "curl";
  const options = Object.entries(headers).map(
    ([name, value]) => `--header ${shellWord(`${name}: ${value}`)}`,
  );
  if (body !== null) options.push(`--data-raw ${shellWord(body)}`);
  return [[`${command} ${shellWord(url)}`, ...options].join(" \\\n  ")];
}

/** A JavaScript module for pages and for Node.js. */
export function renderFetch(target: CallTarget, sent: readonly SentPart[]): readonly string[] {
  const { request, address, credentials } = target;
  const { url, method, headers, body } = fillRequest(request, address, sent);
  if (method === "GET") {
    return [`const response = await fetch(${quotedLiteral(url)});`, ...printResponse(target)];
  }
  const fields = Object.entries(headers).map((field) => field.map(quotedLiteral).join(": "));
  const object = [...members(sent).map((line) => `  ${line}`), "  }),"];
  const bodies = {
    elements: [`  body: ${templateLiteral(body ?? "")},`],
    fields: ["  body: new URLSearchParams({", ...object],
    members: ["  body: JSON.stringify({", ...object],
  };
  const hasLongs = sent.some(({ type }) => type === "long");
  return [
    `const response = await fetch(${quotedLiteral(url)}, {`,
    '  method: "POST",',
    `  headers: { ${fields.join(", ")} },`,
    ...(credentials ? ['  credentials: "include",'] : []),
    ...(hasLongs && request.partsAs === "members"
      ? ["  // A long goes as text, with all its digits: a number would be rounded beyond 2^53."]
      : []),
    ...bodies[request.partsAs],
    "});",
    ...printResponse(target),
  ];
}

function printResponse(target: CallTarget): readonly string[] {
  const printed = {
    status: "response.status",
    json: "await response.json()",
    text: "await response.text()",
  };
  const isJson = target.kind === "service" && target.request.partsAs === "members";
  if (!isJson || target.longs.length === 0) return [`console.log(${printed[resultOf(target)]});`];
  return [
    "// A long is read as text, with all its digits: JSON.parse alone would round it beyond 2^53.",
    `const longs = [${target.longs.map(quotedLiteral).join(", ")}];`,
    "const keepDigits = (name, value, { source }) => (longs.includes(name) ? source : value);",
    "console.log(JSON.stringify(JSON.parse(await response.text(), keepDigits)));",
  ];
}

/** A Python program with requests. */
export function renderRequests(target: CallTarget, sent: readonly SentPart[]): readonly string[] {
  const { request, address } = target;
  const { url, method } = fillRequest(request, address, sent);
  // A long goes as text, as REST reads it.
  const literals = { ...pythonLiterals, long: quotedLiteral };
  const argument = request.partsAs === "fields" ? "data" : "json";
  const printed = { status: "status_code", json: "json()", text: "text" };
  return [
    "# pip install requests",
    "import requests",
    "",
    ...(method === "POST"
      ? [
          `response = requests.post(${quotedLiteral(url)}, timeout=10, ${argument}={`,
          ...members(sent, literals, (name, text) => `  ${quotedLiteral(name)}: ${text}`),
          "})",
        ]
      : [`response = requests.get(${quotedLiteral(url)}, timeout=10)`]),
    `print(response.${printed[resultOf(target)]})`,
  ];
}

/** A C# program with HttpClient. */
export function renderHttpClient(target: CallTarget, sent: readonly SentPart[]): readonly string[] {
  const { url, method } = fillRequest(target.request, target.address, sent);
  const client = "using var client = new HttpClient();";
  if (method === "GET") {
    return [client, `Console.WriteLine(await client.GetStringAsync(${quotedLiteral(url)}));`];
  }
  const isForm = target.request.partsAs === "fields";
  const call = isForm
    ? `PostAsync(${quotedLiteral(url)}, new FormUrlEncodedContent(new Dictionary<string, string>`
    : `PostAsJsonAsync(${quotedLiteral(url)}, new`;
  const isStatus = resultOf(target) === "status";
  return [
    ...(isForm ? [] : ["using System.Net.Http.Json;", ""]),
    client,
    `var response = await client.${call}`,
    "{",
    ...members(sent, isForm ? textLiterals(quotedLiteral) : scriptLiterals, (name, value) =>
      isForm ? `  [${quotedLiteral(name)}] = ${value}` : `  ${name} = ${value}`,
    ),
    isForm ? "}));" : "});",
    `Console.WriteLine(${isStatus ? "response.StatusCode" : "await response.Content.ReadAsStringAsync()"});`,
  ];
}

/** A PHP program without extensions. */
export function renderPhpRequest(target: CallTarget, sent: readonly SentPart[]): readonly string[] {
  const { url, method, headers } = fillRequest(target.request, target.address, sent);
  if (method === "GET") return ["<?php", `echo file_get_contents(${phpLiteral(url)}), PHP_EOL;`];
  const encode = target.request.partsAs === "fields" ? "http_build_query" : "json_encode";
  const fields = Object.entries(headers).map((field) => phpLiteral(field.join(": ")));
  return [
    "<?php",
    `$content = ${encode}([`,
    ...members(sent, phpLiterals, (name, text) => `${phpLiteral(name)} => ${text}`),
    "]);",
    `$http = ['method' => 'POST', 'header' => [${fields.join(", ")}], 'content' => $content];`,
    "$context = stream_context_create(['http' => $http]);",
    `echo file_get_contents(${phpLiteral(url)}, false, $context), PHP_EOL;`,
  ];
}
