import assert from "node:assert/strict";
import type { Binding, NamedService } from "@wfh/server/bindings/binding.ts";
import { compileBinding } from "@wfh/server/bindings/compile-binding.ts";
import { soap11Version, soap12Version } from "@wfh/server/bindings/soap/versions.ts";
import { ajaxEndpoint } from "@wfh/server/contract/ajax-endpoint.ts";
import { type BindingName, bindings as facts } from "@wfh/server/contract/bindings.ts";
import { locationHelper } from "@wfh/server/contract/location-helper.ts";
import { type ProblemName, problems as problemKinds } from "@wfh/server/contract/problems.ts";
import { restApi } from "@wfh/server/contract/rest-api.ts";
import { Fault, type FaultCode, faultCodes } from "@wfh/server/fault.ts";
import type { RawResponse } from "@wfh/server/test/exchange.ts";
import { endpointNamespace, locationNamespace } from "@wfh/server/test/test-server.ts";
import { readStrictly } from "./strict-xml.ts";

/** A service with its bindings, as they are compiled for the server. */
export interface Target {
  readonly service: NamedService;
  readonly bindings: ReadonlyMap<BindingName, Binding>;
}

/** Compiles the bindings of a service. */
function targetOf(service: NamedService): Target {
  const named = service.contract.bindings.map(
    (name) => [name, compileBinding[name](service)] as const,
  );
  return { service, bindings: new Map(named) };
}

/** The location helper, as the server of the tests has it. */
export const location = targetOf({ contract: locationHelper, namespace: locationNamespace });
/** The AJAX endpoint, as the server of the tests has it. */
export const endpoint = targetOf({ contract: ajaxEndpoint, namespace: endpointNamespace });

/** The binding of a name. Throws where the service is not offered over it. */
export function bindingOf({ bindings, service }: Target, name: BindingName): Binding {
  const binding = bindings.get(name);
  if (binding === undefined) throw new Error(`${service.contract.name} has no binding ${name}`);
  return binding;
}

/** Status of a fault over a binding, as the table of the binding has it. */
export function statusOf(target: Target, name: BindingName, code: FaultCode): number {
  return bindingOf(target, name).encodeFault(new Fault(code, ""), { binding: name }).status;
}

/** Statuses of all faults over a binding, never 200. */
function faultStatuses(target: Target, name: BindingName): ReadonlySet<number> {
  return new Set(faultCodes.map((code) => statusOf(target, name, code)));
}

/** Type of the answers that belong to no binding. */
const plainText = "text/plain; charset=utf-8";

/** Statuses of plain text sent before a binding is found (decisions 0006 and 0010). */
const edgeStatuses: ReadonlySet<number> = new Set([
  400, 404, 405, 408, 414, 415, 431, 500, 501, 505,
]);

/**
 * Checks a response against the kinds declared for an address of a service: those of all its
 * bindings, or plain text from before one was chosen.
 */
export function checkDeclared(
  response: RawResponse,
  target: Target,
  at: "service" | "operation",
): void {
  checkHeaders(response);
  const names = target.service.contract.bindings.filter((name) => facts[name].at === at);
  const type = response.headers.get("content-type");
  const problems: string[] = [];
  for (const name of names) {
    const problem = describeMismatch(response, target, name);
    if (problem === undefined) return;
    problems.push(`${name}: ${problem}`);
  }
  const isOfEdge = type === plainText && edgeStatuses.has(response.status);
  const found = `${response.status} ${type} ${response.body}`;
  assert.ok(isOfEdge, `Not declared: ${found}\n${problems.join("\n")}`);
  checkPlain(response.body);
}

/** Holds an answer to what is declared for no binding: plain text of the edge. */
export function checkEdge(response: RawResponse): void {
  checkHeaders(response);
  assert.equal(response.headers.get("content-type"), plainText);
  assert.ok(edgeStatuses.has(response.status), `Not declared: ${response.status}`);
  checkPlain(response.body);
}

/** Why a binding does not declare a response; undefined where it does. */
function describeMismatch(
  response: RawResponse,
  target: Target,
  name: BindingName,
): string | undefined {
  const { status, headers, body } = response;
  const isGood = status === 200;
  const type = headers.get("content-type");
  const isVoid =
    isGood && body === "" && type === undefined && facts[name].resultAs === "root-element";
  if (isVoid) return undefined;
  const expected = isGood ? facts[name].responseContentType : facts[name].faultContentType;
  if (type !== expected) return `expected ${expected}`;
  if (!isGood && !faultStatuses(target, name).has(status)) return `no fault is ${status}`;
  try {
    parsers[name](body, isGood, target);
    return undefined;
  } catch (reason) {
    return String(reason);
  }
}

/** Statuses by type of documents and pages; 404 for an unknown operation (decision 0061). */
const documentStatuses: ReadonlyMap<string, readonly number[]> = new Map([
  ["text/html; charset=utf-8", [200, 404]],
  ["application/x-javascript; charset=utf-8", [200]],
]);
/** Statuses of health, and of results of the REST API. */
const restStatuses: ReadonlySet<number> = new Set([200, 503]);

/** Holds an answer to everything that is declared at any address, by its content type. */
export function checkKnown(response: RawResponse): void {
  const { status, headers, body } = response;
  const type = headers.get("content-type") ?? "";
  if (status === 100) return;
  if (status === 204 || status === 304 || (status === 200 && body === "" && type === "")) {
    checkHeaders(response);
    return;
  }
  const expected = documentStatuses.get(type);
  if (expected !== undefined) {
    checkHeaders(response);
    assert.ok(expected.includes(status), `Not declared: ${status} ${type}`);
    return;
  }
  if (
    type === bindingTypes.xml &&
    status === 200 &&
    /<(?:wsdl:)?(?:definitions|discovery|xs:schema)\b/.test(body)
  ) {
    checkHeaders(response);
    readStrictly(body);
    return;
  }
  if (type === "application/problem+json") {
    checkHeaders(response);
    const problem = JSON.parse(body) as { readonly type: string; readonly status: number };
    const name = problem.type.slice(`${restApi.path}/problems/`.length);
    assert.equal(problem.type, `${restApi.path}/problems/${name}`);
    assert.equal(problemKinds[name as ProblemName].status, status);
    assert.equal(problem.status, status);
    return;
  }
  // Health, and results of the REST API, which a fuzz of its own holds to its OpenAPI document.
  if (
    /^application\/json(?:; charset=utf-8)?$/.test(type) &&
    restStatuses.has(status) &&
    /^\{"(?!d":|Ex)/.test(body)
  ) {
    checkHeaders(response);
    JSON.parse(body);
    return;
  }
  const places = ([location, endpoint] as const).flatMap((target) =>
    (["service", "operation"] as const).map((at) => ({ target, at })),
  );
  const reasons: unknown[] = [];
  for (const { target, at } of places) {
    try {
      checkDeclared(response, target, at);
      return;
    } catch (reason) {
      reasons.push(reason);
    }
  }
  throw reasons[0];
}

const bindingTypes = {
  xml: facts.soap11.responseContentType,
  json: facts.json.responseContentType,
};

type CheckBody = (body: string, isGood: boolean, target: Target) => void;

const parsers: Readonly<Record<BindingName, CheckBody>> = {
  soap11: (body, isGood) => checkEnvelope(body, isGood, "soap11"),
  soap12: (body, isGood) => checkEnvelope(body, isGood, "soap12"),
  "http-get": checkForm,
  "http-post": checkForm,
  json: (body, isGood) => {
    const value = JSON.parse(body) as Readonly<Record<string, unknown>>;
    const names = ["ExceptionDetail", "ExceptionType", "Message", "StackTrace"];
    assert.deepEqual(Object.keys(value), isGood ? ["d"] : names);
  },
};

/** An envelope of its version with one element in its Body, which is a Fault or an answer. */
function checkEnvelope(body: string, isGood: boolean, binding: "soap11" | "soap12"): void {
  const root = readStrictly(body);
  assert.equal(root.name, "Envelope");
  const { envelopeNamespace } = binding === "soap11" ? soap11Version : soap12Version;
  assert.equal(root.namespace, envelopeNamespace);
  const last = root.children.at(-1);
  assert.deepEqual([last?.name, last?.namespace], ["Body", root.namespace]);
  const [response, ...others] = last?.children ?? [];
  assert.equal(others.length, 0);
  assert.equal(response?.name === "Fault" && response.namespace === root.namespace, !isGood);
}

function checkForm(body: string, isGood: boolean, { service }: Target): void {
  if (isGood) {
    assert.equal(readStrictly(body).namespace, service.namespace);
    return;
  }
  checkPlain(body);
  assert.doesNotMatch(body, /[<"']/, "an error is escaped as for HTML");
}

/** Text without a character that a terminal takes for a command. */
function checkPlain(body: string): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for control characters
  assert.match(body, /^[^\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]+$/);
}

/** Checks the headers of every response, and its length. */
function checkHeaders({ headers, body, status }: RawResponse): void {
  assert.equal(headers.get("x-content-type-options"), "nosniff");
  assert.match(headers.get("content-security-policy") ?? "", /frame-ancestors 'none'/);
  if (status === 204 || status === 304) assert.equal(body, "");
  else assert.equal(headers.get("content-length"), String(Buffer.byteLength(body)));
}
