import {
  escapeAttribute,
  xmlDeclaration,
  xsdNamespace,
  xsiNamespace,
} from "../../codec/xml/escape.ts";
import { compileMembers, type XmlLayout } from "../../codec/xml/writer.ts";
import { type BindingName, bindings } from "../../contract/bindings.ts";
import type { Stack } from "../../contract/operation.ts";
import type { SoapName } from "../wsdl/soap-ports.ts";
import type { SampleCall } from "./sample-call.ts";

/** Blanks for each level; 0 writes everything on one line. */
type Indent = 0 | 2;

/** How a stack writes its envelopes, as far as a sample shows it. */
interface EnvelopeStyle {
  /** What comes before the envelope. */
  readonly declaration: string;
  readonly prefix: string;
  /** Namespaces declared on the envelope beside its own, as attributes with a blank before each. */
  readonly declarations: string;
  /** The same on the element of the result. */
  readonly resultDeclarations: string;
  readonly emptyEnd: XmlLayout["emptyEnd"];
  readonly nil: XmlLayout["nil"];
}

const styles: Readonly<Record<Stack, EnvelopeStyle>> = {
  asmx: {
    declaration: xmlDeclaration,
    prefix: "soap",
    declarations: ` xmlns:xsi="${xsiNamespace}" xmlns:xsd="${xsdNamespace}"`,
    resultDeclarations: "",
    emptyEnd: " />",
    nil: 'xsi:nil="true"',
  },
  wcf: {
    declaration: "",
    prefix: "s",
    declarations: "",
    resultDeclarations: ` xmlns:i="${xsiNamespace}"`,
    emptyEnd: "/>",
    nil: 'i:nil="true"',
  },
};

const envelopeNamespaces: Readonly<Record<SoapName, string>> = {
  soap11: "http://schemas.xmlsoap.org/soap/envelope/",
  soap12: "http://www.w3.org/2003/05/soap-envelope",
};

/** The envelope of a request, indented. */
export function requestEnvelope(call: SampleCall, binding: SoapName): string {
  const { request, input } = call;
  const layout = layoutOf(call, binding, 2);
  const content = compileMembers(request, layout, wrapperDepth)(input);
  return envelope(call, layout, wrapper(call, request.name, content));
}

/** The envelope of an answer. */
export function responseEnvelope(call: SampleCall, binding: SoapName, indent: Indent): string {
  const layout = layoutOf(call, binding, indent);
  return envelope(call, layout, wrapper(call, `${call.name}Response`, resultElement(call, layout)));
}

/** The document that answers over HTTP GET and POST; `""` for a void operation. */
export function responseDocument(call: SampleCall, binding: BindingName): string {
  const { service, operation, result } = call;
  if (operation.result === undefined || result === undefined) return "";
  const { name } = operation.result;
  const layout: XmlLayout = {
    binding,
    indent: bindings[binding].indent,
    emptyEnd: " />",
    nil: 'xsi:nil="true"',
  };
  const content = compileMembers(operation.result, layout, 0)(result);
  const namespaces = `xmlns:xsd="${xsdNamespace}" xmlns:xsi="${xsiNamespace}" xmlns="${escapeAttribute(service.namespace)}"`;
  return `${xmlDeclaration}\n<${name} ${namespaces}>${content}</${name}>`;
}

/** Level of the element that is named after the operation: it stands in the Body of the Envelope. */
const wrapperDepth = 2;

interface SoapLayout extends XmlLayout {
  readonly binding: SoapName;
}

function layoutOf({ service }: SampleCall, binding: SoapName, indent: Indent): SoapLayout {
  const { emptyEnd, nil } = styles[service.contract.stack];
  return { binding, indent, emptyEnd, nil };
}

function envelope({ service }: SampleCall, layout: SoapLayout, content: string): string {
  const { declaration, prefix, declarations } = styles[service.contract.stack];
  const first = declaration && declaration + lineStart(layout, 0);
  const namespace = `xmlns:${prefix}="${envelopeNamespaces[layout.binding]}"`;
  const pieces = [
    `${first}<${prefix}:Envelope ${namespace}${declarations}>`,
    `${lineStart(layout, 1)}<${prefix}:Body>`,
    lineStart(layout, wrapperDepth) + content,
    `${lineStart(layout, 1)}</${prefix}:Body>`,
    `${lineStart(layout, 0)}</${prefix}:Envelope>`,
  ];
  return pieces.join("");
}

function wrapper({ service }: SampleCall, name: string, content: string): string {
  const start = `<${name} xmlns="${escapeAttribute(service.namespace)}"`;
  if (content === "") return start + styles[service.contract.stack].emptyEnd;
  return `${start}>${content}</${name}>`;
}

/** The element of the result with the lines around it; `""` for a void operation. */
function resultElement(call: SampleCall, layout: SoapLayout): string {
  const { name, operation, result } = call;
  if (operation.result === undefined || result === undefined) return "";
  const depth = wrapperDepth + 1;
  const { resultDeclarations } = styles[call.service.contract.stack];
  const content = compileMembers(operation.result, layout, depth)(result);
  const element = `<${name}Result${resultDeclarations}>${content}</${name}Result>`;
  return lineStart(layout, depth) + element + lineStart(layout, wrapperDepth);
}

function lineStart({ indent }: XmlLayout, depth: number): string {
  return indent === 0 ? "" : `\n${" ".repeat(indent * depth)}`;
}
