import { xmlDeclaration, xsdNamespace, xsiNamespace } from "../codec/xml/escape.ts";
import { actionOf, interfaceNameOf, soapPortNameOf } from "../contract/action.ts";
import { type BindingName, bindings } from "../contract/bindings.ts";
import type { Part, ServiceContract, Shape, Stack } from "../contract/operation.ts";
import { type DescribedService, operationsOf } from "./described-service.ts";
import { type Markup, textOf, xml } from "./markup.ts";
import { indentXml } from "./samples/indent.ts";

/** Names of the messages of a request and a response. */
type MessageNames = readonly [request: string, response: string];

/** Namespaces of WSDL 1.1 and its SOAP bindings. */
const namespaces = xml`xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:soap12="http://schemas.xmlsoap.org/wsdl/soap12/"`;
const schemaNamespace = xml` xmlns:xs="${xsdNamespace}"`;

/**
 * Names of a WSDL in a stack, which generated clients and their settings contain, and its way to
 * write a schema: the same facts, in the form that its clients know.
 */
interface Style {
  attributes(service: DescribedService): Markup;
  messages(contract: ServiceContract, operation: string): MessageNames;
  portType(contract: ServiceContract): string;
  readonly schemaAttributes?: Markup;
  readonly schemaPrefix: string;
  /** Attributes that say how often a part occurs. */
  occurs(part: Part): Markup;
}

const styles: Readonly<Record<Stack, Style>> = {
  asmx: {
    attributes: ({ namespace }) =>
      xml`${namespaces} xmlns:http="http://schemas.xmlsoap.org/wsdl/http/" xmlns:mime="http://schemas.xmlsoap.org/wsdl/mime/" xmlns:s="${xsdNamespace}" xmlns:tns="${namespace}" targetNamespace="${namespace}"`,
    messages: (_contract, operation) => [`${operation}SoapIn`, `${operation}SoapOut`],
    portType: ({ name }) => `${name}Soap`,
    schemaPrefix: "s",
    // A value type of .NET is always present. Others may be null: absent, unless they are nillable.
    occurs: ({ type, nillable }) => {
      const isPresent = nillable || (type !== "string" && typeof type === "string");
      return xml`minOccurs="${isPresent ? 1 : 0}" maxOccurs="1"`;
    },
  },
  wcf: {
    attributes: ({ contract, namespace }) =>
      xml`name="${contract.name}" targetNamespace="${namespace}" ${namespaces} xmlns:wsaw="http://www.w3.org/2006/05/addressing/wsdl" xmlns:tns="${namespace}"`,
    messages: (contract, operation) => {
      const start = `${interfaceNameOf(contract)}_${operation}`;
      return [`${start}_InputMessage`, `${start}_OutputMessage`];
    },
    portType: interfaceNameOf,
    schemaAttributes: schemaNamespace,
    schemaPrefix: "xs",
    occurs: () => xml`minOccurs="0"`,
  },
};

/** A port of a service, whose binding has the same name. */
interface Port {
  readonly name: string;
  readonly binding: BindingName;
  /** Prefix of the WSDL elements of its protocol. */
  readonly prefix: "soap" | "soap12" | "http";
  readonly portType: string;
  messages(operation: string): MessageNames;
}

/** Suffixes of ASP.NET for portTypes and ports over HTTP. */
const suffixes = { "http-get": "HttpGet", "http-post": "HttpPost" } as const;

/** The ports of a service, SOAP 1.1 first. */
function portsOf(service: DescribedService): readonly Port[] {
  const { contract } = service;
  const style = styles[contract.stack];
  const soap = (["soap11", "soap12"] as const).map(
    (binding): Port => ({
      name: soapPortNameOf(contract, binding),
      binding,
      prefix: binding === "soap11" ? "soap" : "soap12",
      portType: style.portType(contract),
      messages: (operation) => style.messages(contract, operation),
    }),
  );
  const http = (["http-get", "http-post"] as const).map((binding): Port => {
    const suffix = suffixes[binding];
    const name = contract.name + suffix;
    const messages = (operation: string): MessageNames => [
      `${operation}${suffix}In`,
      `${operation}${suffix}Out`,
    ];
    return { name, binding, prefix: "http", portType: name, messages };
  });
  return [...soap, ...http].filter(({ binding }) => contract.bindings.includes(binding));
}

/**
 * The WSDL of a service in the shape of its stack (decision 0028), in one document without imports:
 * a port for each SOAP version over one portType, and for each HTTP method a port and a portType.
 */
export function renderWsdl(service: DescribedService): string {
  const { contract } = service;
  const style = styles[contract.stack];
  const ports = portsOf(service);
  const portTypes = [...new Map(ports.map((port) => [port.portType, port])).values()];
  const declarations = style.schemaAttributes;
  const hasRoots = ports.some(({ prefix }) => prefix === "http");
  return renderDocument(xml`<wsdl:definitions ${style.attributes(service)}>
    <wsdl:types>${renderSchema(service, { declarations, hasRoots })}</wsdl:types>
    ${portTypes.map((port) => renderMessages(service, port))}
    ${portTypes.map((port) => renderPortType(service, port))}
    ${ports.map((port) => renderBinding(service, port))}
    <wsdl:service name="${contract.name}">
    ${documentation(contract.summary)}
    ${ports.map(({ name, prefix }) => xml`<wsdl:port name="${name}" binding="tns:${name}"><${prefix}:address location="${service.address}" /></wsdl:port>`)}
    </wsdl:service>
    </wsdl:definitions>`);
}

/** The schema of a service as a document, for tools that request WCF's `?xsd=xsd0`. */
export function renderSchemaDocument(service: DescribedService): string {
  const declarations = xml`${schemaNamespace} xmlns:tns="${service.namespace}"`;
  return renderDocument(renderSchema(service, { declarations, hasRoots: false }));
}

/** The discovery document of a service (DISCO): addresses of its WSDL and SOAP ports. */
export function renderDiscovery(service: DescribedService): string {
  const { address, namespace } = service;
  const soapPorts = portsOf(service).filter(({ prefix }) => prefix !== "http");
  const ports = soapPorts.map(({ name }, index) => {
    const prefix = `q${index + 1}`;
    return xml`<soap address="${address}" xmlns:${prefix}="${namespace}" binding="${prefix}:${name}" xmlns="http://schemas.xmlsoap.org/disco/soap/" />`;
  });
  return renderDocument(xml`<discovery xmlns:xsd="${xsdNamespace}" xmlns:xsi="${xsiNamespace}" xmlns="http://schemas.xmlsoap.org/disco/">
    <contractRef ref="${address}?wsdl" docRef="${address}" xmlns="http://schemas.xmlsoap.org/disco/scl/" />
    ${ports}
    </discovery>`);
}

/** A document as text, without a line end after the root, like the reference stack. */
function renderDocument(root: Markup): string {
  const text = textOf(root).replace(/<([\w:]+)([^<>]*)>\s*<\/\1>/g, "<$1$2 />");
  return indentXml(xmlDeclaration + text);
}

/** The messages of all operations. Over HTTP every parameter is text. */
function renderMessages(service: DescribedService, { prefix, messages }: Port): readonly Markup[] {
  return operationsOf(service).map(([operation, { input, result }]) => {
    const [request, response] = messages(operation);
    if (prefix !== "http") {
      return xml`${soapMessage(request, operation)}${soapMessage(response, `${operation}Response`)}`;
    }
    return xml`<wsdl:message name="${request}">
      ${Object.keys(input).map((name) => xml`<wsdl:part name="${name}" type="s:string" />`)}
      </wsdl:message>
      <wsdl:message name="${response}">
      ${result && xml`<wsdl:part name="Body" element="tns:${result.name}" />`}
      </wsdl:message>`;
  });
}

/** A message with one part, whose name `parameters` tells generators that the call is wrapped. */
function soapMessage(name: string, wrapper: string): Markup {
  return xml`<wsdl:message name="${name}"><wsdl:part name="parameters" element="tns:${wrapper}" /></wsdl:message>`;
}

function documentation(summary: string): Markup {
  return xml`<wsdl:documentation>${summary}</wsdl:documentation>`;
}

/** A portType. On WCF its messages state their actions. */
function renderPortType(service: DescribedService, { portType, messages }: Port): Markup {
  const hasActions = service.contract.stack === "wcf";
  const action = (of: string) => hasActions && xml`wsaw:Action="${actionOf(service, of)}" `;
  const operations = operationsOf(service).map(([operation, { summary }]) => {
    const [request, response] = messages(operation);
    return xml`<wsdl:operation name="${operation}">
      ${documentation(summary)}
      <wsdl:input ${action(operation)}message="tns:${request}" />
      <wsdl:output ${action(`${operation}Response`)}message="tns:${response}" />
      </wsdl:operation>`;
  });
  return xml`<wsdl:portType name="${portType}">${operations}</wsdl:portType>`;
}

/** For SOAP 1.2 too: Mono's generator ignores the URI that the W3C defines for it. */
const soapOverHttp = "http://schemas.xmlsoap.org/soap/http";

/** A binding of all operations; over SOAP it is document/literal. */
function renderBinding(
  service: DescribedService,
  { name, prefix, portType, binding }: Port,
): Markup {
  const isHttp = prefix === "http";
  const { method, requestMediaType } = bindings[binding];
  const literal = xml`<${prefix}:body use="literal" />`;
  const parameters = requestMediaType
    ? xml`<mime:content type="${requestMediaType}" />`
    : xml`<http:urlEncoded />`;
  const operations = operationsOf(service).map(([operation, { result }]) => {
    const target = isHttp
      ? xml`location="/${operation}"`
      : xml`soapAction="${actionOf(service, operation)}" style="document"`;
    const output = isHttp ? result && xml`<mime:mimeXml part="Body" />` : literal;
    return xml`<wsdl:operation name="${operation}">
      <${prefix}:operation ${target} />
      <wsdl:input>${isHttp ? parameters : literal}</wsdl:input>
      <wsdl:output>${output}</wsdl:output>
      </wsdl:operation>`;
  });
  return xml`<wsdl:binding name="${name}" type="tns:${portType}">
    <${prefix}:binding ${isHttp ? xml`verb="${method}"` : xml`transport="${soapOverHttp}"`} />
    ${operations}
    </wsdl:binding>`;
}

/**
 * The schema of a service: an element for each request and response, and the shapes, each once.
 *
 * @param declarations attributes of the root element besides its own.
 * @param hasRoots whether results are root elements too, as over HTTP GET and POST.
 */
function renderSchema(
  service: DescribedService,
  { declarations, hasRoots }: { declarations: Markup | undefined; hasRoots: boolean },
): Markup {
  const { stack } = service.contract;
  const { schemaPrefix: prefix, occurs } = styles[stack];
  const isWcf = stack === "wcf";
  const declared = new Set<string>();
  const partElement = ([name, part]: readonly [string, Part]) => {
    const { type, nillable } = part;
    const typeName = typeof type === "string" ? `${prefix}:${type}` : `tns:${type.name}`;
    return xml`<${prefix}:element ${occurs(part)} name="${name}"${nillable && xml` nillable="true"`} type="${typeName}" />`;
  };
  const complexType = (name: Markup | undefined, parts: Shape["parts"]) => {
    const elements = Object.entries(parts).map(partElement);
    const isEmpty = elements.length === 0 && !isWcf;
    const sequence = !isEmpty && xml`<${prefix}:sequence>${elements}</${prefix}:sequence>`;
    return xml`<${prefix}:complexType${name}>${sequence}</${prefix}:complexType>`;
  };
  const message = (name: string, parts: Shape["parts"]) =>
    xml`<${prefix}:element name="${name}">
      ${complexType(undefined, parts)}
      </${prefix}:element>`;
  const shapeElement = ({ name }: Shape) =>
    xml`<${prefix}:element name="${name}" nillable="true" type="tns:${name}" />`;
  /** A shape and those below it, unless they are declared already. */
  const shapesOf = (type: Part["type"] | undefined): readonly Markup[] => {
    if (typeof type !== "object" || declared.has(type.name)) return [];
    declared.add(type.name);
    return [
      complexType(xml` name="${type.name}"`, type.parts),
      ...(isWcf ? [shapeElement(type)] : []),
      ...Object.values(type.parts).flatMap((part) => shapesOf(part.type)),
    ];
  };
  const operations = operationsOf(service).map(([name, { input, result }]) => {
    const part = result && { type: result, optional: true as const, nillable: isWcf };
    return [
      message(name, input),
      message(`${name}Response`, part ? { [`${name}Result`]: part } : {}),
      [...Object.values(input).map(({ type }) => type), result].flatMap(shapesOf),
    ];
  });
  const results = operationsOf(service).flatMap(([, { result }]) => result ?? []);
  const roots = new Map(results.map((shape) => [shape.name, shape]));
  return xml`<${prefix}:schema elementFormDefault="qualified" targetNamespace="${service.namespace}"${declarations}>
    ${operations}
    ${hasRoots && [...roots.values()].map(shapeElement)}
    </${prefix}:schema>`;
}
