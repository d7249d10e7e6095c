import { escapeHtml } from "../../codec/text.ts";
import type { CodeSample, ResourceTarget } from "./call-target.ts";
import {
  type Literals,
  pythonLiterals,
  quotedLiteral,
  scriptLiterals,
  shellWord,
} from "./literals.ts";
import { fillRequest, requestJson, type SentPart } from "./request.ts";

/** One call of the REST API, with its URL and the members of its body. */
interface ResourceCall extends ResourceTarget {
  readonly url: string;
  /** What the call sends: parts of its path, query or body. */
  readonly sent: readonly SentPart[];
  readonly isPost: boolean;
}

/** Programs that call an operation of the REST API. */
export function resourceSamples(
  target: ResourceTarget,
  sent: readonly SentPart[],
): readonly CodeSample[] {
  const { url, method } = fillRequest(target.request, target.address, sent);
  const call = { ...target, url, sent, isPost: method === "POST" };
  const samples = {
    curl: renderCurl(call),
    fetch: renderFetch(call),
    "TypeScript client": renderClient(call),
    Python: renderPython(call),
    "C#": renderCsharp(call),
    ...(Object.hasOwn(pageCalls, call.name) && { "Web page": renderWebPage(call) }),
  };
  return Object.entries(samples).map(([language, lines]) => ({ language, code: lines.join("\n") }));
}

function renderCurl({ url, sent, isPost, isVoid }: ResourceCall): readonly string[] {
  const address = `curl ${isVoid ? "--include " : ""}${shellWord(url)}`;
  if (!isPost) return [address];
  const body = shellWord(requestJson(sent, true));
  return [`${address} \\\n  --header 'Content-Type: application/json' \\\n  --data-raw ${body}`];
}

/** Lines of an object literal, by default of JavaScript. */
function members(
  sent: readonly SentPart[],
  literals: Literals = scriptLiterals,
  write = (name: string, text: string) => `${name}: ${text}`,
): readonly string[] {
  return sent.map(({ name, type, text }) => `  ${write(name, literals[type](text))},`);
}

function renderFetch({ url, sent, isPost, credentials, isVoid }: ResourceCall): readonly string[] {
  const print = `console.log(${isVoid ? "response.status" : "await response.json()"});`;
  if (!isPost) return [`const response = await fetch(${quotedLiteral(url)});`, print];
  return [
    `const response = await fetch(${quotedLiteral(url)}, {`,
    '  method: "POST",',
    '  headers: { "Content-Type": "application/json" },',
    ...(credentials ? ['  credentials: "include",'] : []),
    "  body: JSON.stringify({",
    ...members(sent).map((line) => `  ${line}`),
    "  }),",
    "});",
    print,
  ];
}

/** What the client calls an operation, and the parts that it takes one by one; else it takes an object. */
const clientCalls: Readonly<Record<string, { method: string; parts?: readonly string[] }>> = {
  findPlaces: { method: "findPlaces", parts: ["postalCode", "country"] },
  findPlacesAnywhere: { method: "findPlaces", parts: ["postalCode"] },
  listCountries: { method: "listCountries", parts: [] },
  listStates: { method: "listStates", parts: ["country"] },
  logPageRequests: { method: "logPageRequest" },
};

function renderClient({ address, name, sent, isVoid }: ResourceCall): readonly string[] {
  const baseUrl = quotedLiteral(serverOf(address));
  const { method, parts } = clientCalls[name] ?? { method: name };
  const call = `const result = await client.${method}(`;
  const one = (part: string) => quotedLiteral(sent.find((of) => of.name === part)?.text ?? "");
  return [
    "// npm install web-forms-helper",
    'import { createClient } from "web-forms-helper/client";',
    "",
    `const client = createClient({ baseUrl: ${baseUrl} });`,
    ...(parts === undefined
      ? [`${call}{`, ...members(sent), "});"]
      : [`${call}${parts.map(one).join(", ")});`]),
    `console.log(result.ok ? ${isVoid ? '"Done"' : "result.value"} : result.error);`,
  ];
}

/** What a web page does for an operation: a form that is filled in by itself, or a call of the SDK. */
const pageCalls: Readonly<Record<string, { call?: string; script?: string }>> = {
  findPlaces: {},
  findPlacesAnywhere: {},
  logPageRequests: { call: "logPageRequest" },
  logIn: { call: "logIn", script: "wfh-log-in.js" },
  autoLogIn: { call: "autoLogIn", script: "wfh-log-in.js" },
  logOut: { call: "logOut", script: "wfh-log-in.js" },
};

/** What the SDK finds out about a page by itself. */
const knownToSdk =
  /^(?:formId|applicationInstanceId|pageRequestUrl|referrer|screen.*|sessionDate|eventKey)$/;

function renderWebPage({ address, name, sent }: ResourceCall): readonly string[] {
  const { call, script = "wfh.js" } = pageCalls[name] ?? {};
  const source = escapeHtml(`${serverOf(address)}/${script}`);
  const attributes = `defer src="${source}"\n  data-form="12" data-instance="3"`;
  const tag = [...element("script", attributes, []), ""];
  if (call === undefined) {
    const fields = {
      zip: "postal-code",
      city: "address-level2",
      state: "address-level1",
      country: "country",
    };
    const inputs = Object.entries(fields).map(
      ([field, token]) => `<input name="${field}" autocomplete="${token}">`,
    );
    return [...tag, ...element("form", "data-wfh", inputs)];
  }
  const args = members(sent.filter((part) => !knownToSdk.test(part.name)));
  const lines =
    args.length === 0
      ? [`console.log(await wfh.${call}());`]
      : [`console.log(await wfh.${call}({`, ...args.map(escapeScript), "}));"];
  return [...tag, ...element("script", 'type="module"', lines)];
}

/** An element by its name, since the script of a page may not have the text of a script element in it. */
function element(name: string, attributes: string, lines: readonly string[]): readonly string[] {
  const end = `</${name}>`;
  if (lines.length === 0) return [`<${name} ${attributes}>${end}`];
  return [`<${name} ${attributes}>`, ...lines.map((line) => `  ${line}`), end];
}

/** A line of a script inside a page: a script element ends at its end tag, even inside a string. */
function escapeScript(line: string): string {
  return line.replaceAll("</", "<\\/").replaceAll("<!--", "<\\!--");
}

function serverOf(address: string): string {
  return address.replace(/\/api\/v1$/, "");
}

function renderPython({ url, sent, isPost, isVoid }: ResourceCall): readonly string[] {
  // A long goes as text, as the API reads it.
  const literals = { ...pythonLiterals, long: quotedLiteral };
  return [
    "# pip install requests",
    "import requests",
    "",
    ...(isPost
      ? [
          `response = requests.post(${quotedLiteral(url)}, timeout=10, json={`,
          ...members(sent, literals, (name, text) => `  ${quotedLiteral(name)}: ${text}`),
          "})",
        ]
      : [`response = requests.get(${quotedLiteral(url)}, timeout=10)`]),
    `print(response.${isVoid ? "status_code" : "json()"})`,
  ];
}

function renderCsharp({ url, sent, isPost, isVoid }: ResourceCall): readonly string[] {
  if (!isPost) {
    return [
      "using var client = new HttpClient();",
      `Console.WriteLine(await client.GetStringAsync(${quotedLiteral(url)}));`,
    ];
  }
  return [
    "using System.Net.Http.Json;",
    "",
    "using var client = new HttpClient();",
    `var response = await client.PostAsJsonAsync(${quotedLiteral(url)}, new`,
    "{",
    ...members(sent, scriptLiterals, (name, text) => `  ${name} = ${text}`),
    "});",
    `Console.WriteLine(${isVoid ? "response.StatusCode" : "await response.Content.ReadAsStringAsync()"});`,
  ];
}
