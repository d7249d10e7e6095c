import type { NamedService } from "../../contract/action.ts";
import type {
  Operation,
  Part,
  ScalarName,
  ServiceContract,
  Shape,
} from "../../contract/operation.ts";
import { scriptProxyRuntime } from "../assets/bundle.ts";

/** Settings of a script proxy. */
export interface ScriptProxyOptions extends Pick<NamedService, "namespace" | "scriptName"> {
  /** Address of the service: a path on the page's own origin, or an absolute URL. */
  readonly path: string;
}

/**
 * A script that lets a page call a service by a global name, like the proxies of ASP.NET:
 * `Service.Operation(args…, succeededCallback, failedCallback, userContext)`. ES5 in ASCII, strict,
 * and independent of MicrosoftAjax.js. With `isDebug` it is readable, and comments describe the
 * operations.
 */
export function renderScriptProxy(
  contract: ServiceContract,
  { path, ...names }: ScriptProxyOptions,
  isDebug: boolean,
): string {
  const operations = Object.entries(contract.operations);
  const credentials = operations.flatMap(([name, operation]) =>
    operation.credentials === true ? [`  ${name}: true`] : [],
  );
  const script = `// ${contract.name}: ${sentence(contract.summary)}
// Numbers beyond 2^53 are exact or refused: give them as strings or bigints, else a call throws a RangeError;
// in results they are strings with all their digits.
(function (root) {
"use strict";
var needsCredentials = {
${credentials.join(",\n")}
};

${scriptProxyRuntime}

publish(function ${contract.interfaceName ?? contract.name}() {
  this._path = null;
  this._timeout = 0;
  this._defaultUserContext = null;
  this._defaultSucceededCallback = null;
  this._defaultFailedCallback = null;
}, {
${operations.map(renderOperation).join(",\n")}
}, ${quote(path)}, ${quote(scriptProxyName({ contract, ...names }))});
})(typeof window === "undefined" ? this : window);
`;
  return escapeNonAscii(isDebug ? script : compact(script));
}

/** Default prefix of the namespaces of data contracts; not part of the global name. */
const dataContracts = "http://schemas.datacontract.org/2004/07/";

/**
 * The global name of a service in pages: as set by the operator; otherwise the name of its class,
 * or the name of its interface after the names that the reference stack derives from the XML
 * namespace, for example `example.org.forms.IWebFormsAjaxEndpoint` of `http://example.org/forms`.
 */
export function scriptProxyName({ contract, namespace, scriptName }: NamedService): string {
  if (scriptName !== undefined) return scriptName;
  const { interfaceName, name } = contract;
  if (interfaceName === undefined) return name;
  return [...scriptNamespace(namespace), interfaceName].join(".");
}

/** The parts of host and path that can be names; for text that is not a URL, of all of it. */
function scriptNamespace(namespace: string): readonly string[] {
  return withoutScheme(namespace)
    .split(/[./:]/)
    .map((part) => part.replace(/\W/g, "").replace(/^(?=\d)/, "_"))
    .filter((part) => part !== "");
}

function withoutScheme(namespace: string): string {
  if (namespace.startsWith(dataContracts)) return namespace.slice(dataContracts.length);
  if (!URL.canParse(namespace)) return namespace;
  const { hostname, pathname, search } = new URL(namespace);
  return hostname + pathname + search;
}

/** Parameters of every operation, after its own. */
const callbacks = "succeededCallback, failedCallback, userContext";

function renderOperation([name, operation]: readonly [string, Operation]): string {
  const parts = Object.entries(operation.input);
  const names = parts.map(([part]) => part);
  const values = parts.map(
    ([part, { type }]) => `${part}: ${type === "string" ? `_text(${part})` : part}`,
  );
  const params = `{ ${values.join(", ")} }`;
  return `${describeOperation(name, operation)}
  ${name}: function (${[...names, callbacks].join(", ")}) {
    return this._invoke(this._get_path(), "${name}", false, ${params}, ${callbacks});
  }`;
}

/** JavaScript types that callers may pass for a part. */
const argumentKinds: Readonly<Record<ScalarName, string>> = {
  string: "string",
  int: "number|string",
  long: "number|bigint|string",
  double: "number|string",
  boolean: "boolean",
  dateTime: "Date|string",
};

/** JavaScript type of a member of a result. */
const memberKinds: Readonly<Record<ScalarName, string>> = {
  string: "string",
  int: "number",
  long: "number|string",
  double: "number",
  boolean: "boolean",
  dateTime: "string",
};

function describeOperation(name: string, { summary, input, result }: Operation): string {
  const given = Object.entries(input).map(([part, { type, optional, nillable }]) => {
    const kind = typeof type === "string" ? argumentKinds[type] : type.name;
    const typeName = typeof type === "string" ? type : type.name;
    const shown = optional ? `[${part}]` : part;
    return `@param {${kind}${nillable ? "|null" : ""}} ${shown} ${typeName}`;
  });
  const outcome = result === undefined ? "null" : `${describeShape(result)}, or null`;
  const lines = [
    sentence(summary),
    ...given,
    `@param {function} [succeededCallback] called with (result, userContext, "${name}"); the result is ${outcome}`,
    `@param {function} [failedCallback] called with (error, userContext, "${name}")`,
    "@param {*} [userContext]",
  ];
  return `  /**\n${lines.map((line) => `   * ${line}\n`).join("")}   */`;
}

function describeShape({ name, parts }: Shape): string {
  const members = Object.entries(parts).map(([part, of]) => `${part}: ${describeMember(of)}`);
  return `${name} { ${members.join(", ")} }`;
}

function describeMember({ type, optional, nillable }: Part): string {
  const kind = typeof type === "string" ? memberKinds[type] : describeShape(type);
  return optional || nillable ? `${kind}|null` : kind;
}

/** Text of the contract on one line, safe in comments of both kinds. */
function sentence(text: string): string {
  return text.replace(/\s+/g, " ").replaceAll("*/", "* /");
}

function quote(text: string): string {
  return JSON.stringify(text).replaceAll("<", "\\u003c");
}

/** ASCII only: the reference stack sends no character encoding for scripts. */
function escapeNonAscii(script: string): string {
  return script.replace(
    /[^\n\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Removes comments, indents and line ends. All lines end, or the next begins, with a separator. */
function compact(script: string): string {
  const lines = script.split("\n").map((line) => line.trim());
  return `${lines.filter((line) => !/^(?:\/\/|\/\*|\*)/.test(line)).join("")}\n`;
}
