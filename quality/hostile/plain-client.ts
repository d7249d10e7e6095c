import { type HttpRequest, readMediaType } from "@wfh/server/bindings/http.ts";
import { soap11Version, soap12Version } from "@wfh/server/bindings/soap/versions.ts";
import type { Scalar } from "@wfh/server/codec/scalars.ts";
import { xsiNamespace } from "@wfh/server/codec/xml/escape.ts";
import { actionOf } from "@wfh/server/contract/action.ts";
import { type BindingName, bindings as facts } from "@wfh/server/contract/bindings.ts";
import type { Operation, Part, Shape } from "@wfh/server/contract/operation.ts";
import type { Target } from "../harness/declared-responses.ts";
import { isNil, type StrictElement } from "../harness/strict-xml.ts";
import type { Values } from "./random-values.ts";

// What a client of others does, without a line of the server's own writers and readers.

/** Ways of a client to write text in XML; all of them mean the same. */
export const xmlManners = ["references", "numbers", "sections"] as const;

/** One of {@link xmlManners}. */
export type XmlManner = (typeof xmlManners)[number];

/** One call as a client has it. */
export interface ClientCall {
  readonly target: Target;
  readonly name: string;
  readonly operation: Operation;
  readonly input: Values;
  readonly manner: XmlManner;
}

const named: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "\r": "&#13;",
};

const writeText: Readonly<Record<XmlManner, (text: string) => string>> = {
  references: (text) => text.replace(/[&<>\r]/g, (found) => named[found] ?? ""),
  numbers: (text) =>
    [...text].map((character) => `&#x${character.codePointAt(0)?.toString(16)};`).join(""),
  sections: (text) =>
    text
      .split("\r")
      .map((piece) => `<![CDATA[${piece.replaceAll("]]>", "]]]]><![CDATA[>")}]]>`)
      .join("&#xD;"),
};

function textOf(value: unknown): string {
  const scalar = value as Scalar;
  return typeof scalar === "object" ? scalar.text : String(scalar);
}

function partElement(
  name: string,
  part: Part | undefined,
  value: unknown,
  manner: XmlManner,
): string {
  if (value !== null) return `<c:${name}>${writeText[manner](textOf(value))}</c:${name}>`;
  return part?.nillable ? `<c:${name} i:nil="true"/>` : "";
}

function envelopeOf(
  { target, name, operation, input, manner }: ClientCall,
  envelope: string,
): string {
  const parts = Object.entries(input).map(([part, value]) =>
    partElement(part, operation.input[part], value, manner),
  );
  const namespaces = `xmlns:env="${envelope}" xmlns:i="${xsiNamespace}" xmlns:c="${target.service.namespace}"`;
  return `<env:Envelope ${namespaces}><env:Body><c:${name}>${parts.join("")}</c:${name}></env:Body></env:Envelope>`;
}

function jsonOf({ input }: ClientCall): string {
  const members = Object.entries(input)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => {
      const isNumber = typeof value === "number" || typeof value === "bigint";
      const written =
        isNumber || typeof value === "boolean" ? String(value) : JSON.stringify(textOf(value));
      return `${JSON.stringify(name)}:${written}`;
    });
  return `{${members.join()}}`;
}

function formOf({ input }: ClientCall): string {
  const sent = Object.entries(input).filter(([, value]) => value !== null);
  return new URLSearchParams(
    sent.map(([name, value]): [string, string] => [name, textOf(value)]),
  ).toString();
}

const bodies: Readonly<Record<BindingName, (call: ClientCall) => string>> = {
  soap11: (call) => envelopeOf(call, soap11Version.envelopeNamespace),
  soap12: (call) => envelopeOf(call, soap12Version.envelopeNamespace),
  "http-get": () => "",
  "http-post": formOf,
  json: jsonOf,
};

/** The request of a call over a binding. */
export function requestOf(call: ClientCall, binding: BindingName): HttpRequest {
  const { method, requestMediaType } = facts[binding];
  const action = actionOf(call.target.service, call.name);
  return {
    method,
    path: "",
    query: binding === "http-get" ? formOf(call) : "",
    headers: binding === "soap11" ? ["SOAPAction", `"${action}"`] : [],
    contentType: requestMediaType === null ? undefined : readMediaType(requestMediaType),
    body: new TextEncoder().encode(bodies[binding](call)),
  };
}

/** Values of a shape in an element; null for a part that is absent or nil. */
export function readShape(element: StrictElement, { parts }: Shape): Values {
  const values = Object.entries(parts).map(([name, { type }]) => {
    const [child, ...others] = element.children.filter((candidate) => candidate.name === name);
    if (others.length > 0) throw new Error(`${name} is there twice`);
    if (child === undefined || isNil(child)) return [name, null];
    if (typeof type !== "string") return [name, readShape(child, type)];
    return [name, child.text];
  });
  return Object.fromEntries(values);
}
