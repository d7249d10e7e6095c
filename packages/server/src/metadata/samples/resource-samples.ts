import { escapeHtml } from "../../codec/text.ts";
import { members, type ProgramCall } from "./http-samples.ts";
import { quotedLiteral } from "./literals.ts";

/** Methods of the client, with the parts that they take one by one instead of an object. */
const clientCalls: Readonly<Record<string, { method: string; parts?: readonly string[] }>> = {
  findPlaces: { method: "findPlaces", parts: ["postalCode", "country"] },
  findPlacesAnywhere: { method: "findPlaces", parts: ["postalCode"] },
  listCountries: { method: "listCountries", parts: [] },
  listStates: { method: "listStates", parts: ["country"] },
  logPageRequests: { method: "logPageRequest" },
};

/** A program with the typed client; undefined for a call with a token, which it does not make. */
export function renderClient({ target, sent }: ProgramCall): readonly string[] | undefined {
  if (Object.hasOwn(target.description.headers, "Authorization")) return undefined;
  const { address, name, isVoid } = target;
  const { method, parts } = clientCalls[name] ?? { method: name };
  const textOf = (part: string) => sent.find((of) => of.name === part)?.text ?? "";
  const given = parts?.map((part) => quotedLiteral(textOf(part))).join(", ");
  return [
    "// npm install web-forms-helper",
    'import { createClient } from "web-forms-helper/client";',
    "",
    `const client = createClient({ baseUrl: ${quotedLiteral(serverOf(address))} });`,
    `const result = await client.${method}(${given ?? ["{", ...members(sent), "}"].join("\n")});`,
    `console.log(result.ok ? ${isVoid ? '"Done"' : "result.value"} : result.error);`,
  ];
}

/** Use of an operation in a web page: a form that fills itself, or a call of the SDK. */
const pageCalls: Readonly<Record<string, { call?: string; script?: string }>> = {
  findPlaces: {},
  findPlacesAnywhere: {},
  logPageRequests: { call: "logPageRequest" },
  logIn: { call: "logIn", script: "wfh-log-in.js" },
  autoLogIn: { call: "autoLogIn", script: "wfh-log-in.js" },
  logOut: { call: "logOut", script: "wfh-log-in.js" },
};

/** Parts that the SDK finds out about a page by itself. */
const knownToSdk =
  /^(?:formId|applicationInstanceId|pageRequestUrl|referrer|screen.*|sessionDate|eventKey)$/;

const inputs = [
  '<input name="zip" autocomplete="postal-code">',
  '<input name="city" autocomplete="address-level2">',
  '<input name="state" autocomplete="address-level1">',
  '<input name="country" autocomplete="country">',
];

/** A web page with the scripts for pages; undefined for an operation that they do not call. */
export function renderWebPage({ target, sent }: ProgramCall): readonly string[] | undefined {
  const page = pageCalls[target.name];
  if (page === undefined) return undefined;
  const { call, script = "wfh.js" } = page;
  const source = escapeHtml(`${serverOf(target.address)}/${script}`);
  const attributes = `defer src="${source}"\n  data-form="12" data-instance="3"`;
  const tag = [...element("script", attributes, []), ""];
  if (call === undefined) return [...tag, ...element("form", "data-wfh", inputs)];
  const args = members(sent.filter((part) => !knownToSdk.test(part.name)));
  const lines =
    args.length === 0
      ? [`console.log(await wfh.${call}());`]
      : [`console.log(await wfh.${call}({`, ...args.map(escapeScript), "}));"];
  return [...tag, ...element("script", 'type="module"', lines)];
}

/** Element by name: the script of a page must not contain the text of a script element. */
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
