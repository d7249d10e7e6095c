import { xmlDeclaration, xsdNamespace, xsiNamespace } from "../codec/xml/escape.ts";
import { actionOf, interfaceNameOf, soapPortNameOf } from "../contract/action.ts";
import { bindings } from "../contract/bindings.ts";
import type { Operation, Part, ServiceContract, Shape, Stack } from "../contract/operation.ts";
import { type DescribedService, isOffered, operationsOf } from "./described-service.ts";
import { type Markup, textOf, xml } from "./markup.ts";
import { indentXml } from "./samples/indent.ts";

type HttpName = "http-get" | "http-post";
/** Names of the messages of a request and a response. */
type MessageNames = readonly [request: string, response: string];

/** Namespaces of WSDL 1.1 and its SOAP bindings. */
const namespaces = xml`xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:soap12="http://schemas.xmlsoap.org/wsdl/soap12/"`;
const schemaNamespace = xml` xmlns:xs="${xsdNamespace}"`;

/** How a stack names the parts of a WSDL: generated clients and their settings contain the names. */
interface WsdlStyle {
  attributes(service: DescribedService): Markup;
  readonly schemaAttributes?: Markup;
  messages(contract: ServiceContract, operation: string): MessageNames;
  portType(contract: ServiceContract): string;
  /** Whether messages of a portType state their actions. */
  readonly hasActions: boolean;
}

const styles: Readonly<Record<Stack, WsdlStyle>> = {
  asmx: {
    attributes: ({ namespace }) =>
      xml`${namespaces} xmlns:http="http://schemas.xmlsoap.org/wsdl/http/" xmlns:mime="http://schemas.xmlsoap.org/wsdl/mime/" xmlns:s="${xsdNamespace}" xmlns:tns="${namespace}" targetNamespace="${namespace}"`,
    messages: (_contract, operation) => [`${operation}SoapIn`, `${operation}SoapOut`],
    portType: ({ name }) => `${name}Soap`,
    hasActions: false,
  },
  wcf: {
    attributes: ({ contract, namespace }) =>
      xml`name="${contract.name}" targetNamespace="${namespace}" ${namespaces} xmlns:wsaw="http://www.w3.org/2006/05/addressing/wsdl" xmlns:tns="${namespace}"`,
    schemaAttributes: schemaNamespace,
    messages: (contract, operation) => {
      const start = `${interfaceNameOf(contract)}_${operation}`;
      return [`${start}_InputMessage`, `${start}_OutputMessage`];
    },
    portType: interfaceNameOf,
    hasActions: true,
  },
};

/**
 * The WSDL of a service in the shape of its stack (decision 0028), in one document without imports: a port
 * for each SOAP version over one portType, and for each HTTP method a port and a portType.
 */
export function renderWsdl(service: DescribedService): string {
  const { contract } = service;
  const style = styles[contract.stack];
  const https = (["http-get", "http-post"] as const).filter((name) => isOffered(service, name));
  const ports = soapPortsOf(service);
  const soapMessages = (operation: string) => style.messages(contract, operation);
  const schema = renderSchema(service, {
    declarations: style.schemaAttributes,
    hasRoots: https.length > 0,
  });
  return renderDocument(xml`<wsdl:definitions ${style.attributes(service)}>
    <wsdl:types>${schema}</wsdl:types>
    ${operationsOf(service).map(([operation]) => {
      const [request, response] = soapMessages(operation);
      return [soapMessage(request, operation), soapMessage(response, `${operation}Response`)];
    })}
    ${https.map((http) => httpMessages(service, http))}
    ${portType(service, style.portType(contract), soapMessages, style.hasActions)}
    ${https.map((http) => portType(service, httpNameOf(contract, http), (operation) => httpMessageNames(operation, http), false))}
    ${ports.map((one) => soapBinding(service, one))}
    ${https.map((http) => httpBinding(service, http))}
    <wsdl:service name="${contract.name}">
    ${documentation(contract.summary)}
    ${ports.map(({ name, prefix }) => port(name, prefix, service))}
    ${https.map((http) => port(httpNameOf(contract, http), "http", service))}
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
  const ports = soapPortsOf(service).map(({ name }, index) => {
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

/** A port for one version of SOAP; its binding has the same name. */
interface SoapPort {
  readonly name: string;
  /** Prefix of the version's WSDL elements. */
  readonly prefix: "soap" | "soap12";
}

/** The SOAP ports of a service, SOAP 1.1 first. */
function soapPortsOf(service: DescribedService): readonly SoapPort[] {
  const { contract } = service;
  return (["soap11", "soap12"] as const)
    .filter((version) => isOffered(service, version))
    .map((version) => ({
      name: soapPortNameOf(contract, version),
      prefix: version === "soap11" ? "soap" : "soap12",
    }));
}

/** A message with one part. The part's name `parameters` tells generators that the call is wrapped. */
function soapMessage(name: string, wrapper: string): Markup {
  return xml`<wsdl:message name="${name}"><wsdl:part name="parameters" element="tns:${wrapper}" /></wsdl:message>`;
}

/** Messages over HTTP, where every parameter is text. */
function httpMessages(service: DescribedService, http: HttpName): readonly Markup[] {
  return operationsOf(service).map(([operation, { input, result }]) => {
    const [request, response] = httpMessageNames(operation, http);
    return xml`<wsdl:message name="${request}">
      ${Object.keys(input).map((name) => xml`<wsdl:part name="${name}" type="s:string" />`)}
      </wsdl:message>
      <wsdl:message name="${response}">
      ${result && xml`<wsdl:part name="Body" element="tns:${result.name}" />`}
      </wsdl:message>`;
  });
}

function documentation(summary: string): Markup {
  return xml`<wsdl:documentation>${summary}</wsdl:documentation>`;
}

function portType(
  service: DescribedService,
  name: string,
  messagesOf: (operation: string) => MessageNames,
  hasActions: boolean,
): Markup {
  const action = (of: string) => hasActions && xml`wsaw:Action="${actionOf(service, of)}" `;
  const operations = operationsOf(service).map(([operation, { summary }]) => {
    const [request, response] = messagesOf(operation);
    return xml`<wsdl:operation name="${operation}">
      ${documentation(summary)}
      <wsdl:input ${action(operation)}message="tns:${request}" />
      <wsdl:output ${action(`${operation}Response`)}message="tns:${response}" />
      </wsdl:operation>`;
  });
  return xml`<wsdl:portType name="${name}">${operations}</wsdl:portType>`;
}

/** What ASP.NET appends to the name of a service to name its portTypes and ports over HTTP. */
const suffixes: Readonly<Record<HttpName, string>> = {
  "http-get": "HttpGet",
  "http-post": "HttpPost",
};

function httpNameOf({ name }: ServiceContract, http: HttpName): string {
  return name + suffixes[http];
}

function httpMessageNames(operation: string, http: HttpName): MessageNames {
  return [`${operation}${suffixes[http]}In`, `${operation}${suffixes[http]}Out`];
}

/** For SOAP 1.2 too: Mono's generator ignores the URI that the W3C defines for it. */
const soapOverHttp = "http://schemas.xmlsoap.org/soap/http";

/** A SOAP binding of all operations, document/literal. */
function soapBinding(service: DescribedService, { name, prefix }: SoapPort): Markup {
  const { contract } = service;
  const operations = operationsOf(service).map(
    ([operation]) => xml`<wsdl:operation name="${operation}">
      <${prefix}:operation soapAction="${actionOf(service, operation)}" style="document" />
      <wsdl:input><${prefix}:body use="literal" /></wsdl:input>
      <wsdl:output><${prefix}:body use="literal" /></wsdl:output>
      </wsdl:operation>`,
  );
  return xml`<wsdl:binding name="${name}" type="tns:${styles[contract.stack].portType(contract)}">
    <${prefix}:binding transport="${soapOverHttp}" />
    ${operations}
    </wsdl:binding>`;
}

function httpBinding(service: DescribedService, http: HttpName): Markup {
  const name = httpNameOf(service.contract, http);
  const { method, requestMediaType } = bindings[http];
  const request =
    requestMediaType === null
      ? xml`<http:urlEncoded />`
      : xml`<mime:content type="${requestMediaType}" />`;
  const operations = operationsOf(service).map(
    ([operation, { result }]) => xml`<wsdl:operation name="${operation}">
      <http:operation location="/${operation}" />
      <wsdl:input>${request}</wsdl:input>
      <wsdl:output>${result && xml`<mime:mimeXml part="Body" />`}</wsdl:output>
      </wsdl:operation>`,
  );
  return xml`<wsdl:binding name="${name}" type="tns:${name}">
    <http:binding verb="${method}" />
    ${operations}
    </wsdl:binding>`;
}

function port(name: string, prefix: string, { address }: DescribedService): Markup {
  return xml`<wsdl:port name="${name}" binding="tns:${name}"><${prefix}:address location="${address}" /></wsdl:port>`;
}

/** How a stack writes a schema: the same facts, in the form that its clients know. */
interface SchemaStyle {
  readonly prefix: string;
  /** Attributes that say how often a part occurs. */
  occurs(part: Part): Markup;
  readonly resultNillable: boolean;
  /** Content of a type without parts. */
  readonly emptyContent: "nothing" | "sequence";
  /** Whether each shape is declared as an element too. */
  readonly hasShapeElements: boolean;
}

const schemaStyles: Readonly<Record<Stack, SchemaStyle>> = {
  asmx: {
    prefix: "s",
    // A value type of .NET is always present. Anything that can be null is absent, unless it is nillable.
    occurs: ({ type, nillable }) => {
      const isPresent = nillable || (type !== "string" && typeof type === "string");
      return xml`minOccurs="${isPresent ? 1 : 0}" maxOccurs="1"`;
    },
    resultNillable: false,
    emptyContent: "nothing",
    hasShapeElements: false,
  },
  wcf: {
    prefix: "xs",
    occurs: () => xml`minOccurs="0"`,
    resultNillable: true,
    emptyContent: "sequence",
    hasShapeElements: true,
  },
};

/**
 * The schema of a service: an element for each request and each response, and the shapes.
 *
 * @param declarations attributes of the root element besides its own.
 * @param hasRoots whether results are root elements too, as over HTTP GET and POST.
 */
function renderSchema(
  service: DescribedService,
  { declarations, hasRoots }: { declarations: Markup | undefined; hasRoots: boolean },
): Markup {
  const schema = new SchemaWriter(schemaStyles[service.contract.stack]);
  const { prefix } = schema;
  const operations = operationsOf(service);
  const results = hasRoots ? operations.flatMap(([, { result }]) => result ?? []) : [];
  const roots = new Map(results.map((shape) => [shape.name, shape]));
  return xml`<${prefix}:schema elementFormDefault="qualified" targetNamespace="${service.namespace}"${declarations}>
    ${operations.map(([name, operation]) => schema.operation(name, operation))}
    ${[...roots.values()].map((shape) => schema.shapeElement(shape))}
    </${prefix}:schema>`;
}

/** Writes the parts of one schema, each shape once. */
class SchemaWriter {
  readonly prefix: string;
  private readonly style: SchemaStyle;
  /** Names of the shapes written so far. */
  private readonly declared = new Set<string>();

  constructor(style: SchemaStyle) {
    this.style = style;
    this.prefix = style.prefix;
  }

  operation(name: string, { input, result }: Operation): readonly Markup[] {
    const resultPart = { optional: true, nillable: this.style.resultNillable };
    const response =
      result === undefined ? {} : { [`${name}Result`]: { type: result, ...resultPart } };
    return [
      this.message(name, input),
      this.message(`${name}Response`, response),
      ...Object.values(input).flatMap(({ type }) => this.shape(type)),
      ...(result === undefined ? [] : this.shape(result)),
    ];
  }

  shapeElement({ name }: Shape): Markup {
    return xml`<${this.prefix}:element name="${name}" nillable="true" type="tns:${name}" />`;
  }

  private message(name: string, parts: Shape["parts"]): Markup {
    return xml`<${this.prefix}:element name="${name}">
      <${this.prefix}:complexType>${this.sequence(parts)}</${this.prefix}:complexType>
      </${this.prefix}:element>`;
  }

  /** A shape and those below it, unless they are declared already. */
  private shape(type: Part["type"]): readonly Markup[] {
    if (typeof type === "string" || this.declared.has(type.name)) return [];
    this.declared.add(type.name);
    return [
      xml`<${this.prefix}:complexType name="${type.name}">${this.sequence(type.parts)}</${this.prefix}:complexType>`,
      ...(this.style.hasShapeElements ? [this.shapeElement(type)] : []),
      ...Object.values(type.parts).flatMap((part) => this.shape(part.type)),
    ];
  }

  private sequence(parts: Shape["parts"]): Markup | undefined {
    const elements = Object.entries(parts).map(([name, part]) => this.part(name, part));
    if (elements.length === 0 && this.style.emptyContent === "nothing") return undefined;
    return xml`<${this.prefix}:sequence>${elements}</${this.prefix}:sequence>`;
  }

  private part(name: string, part: Part): Markup {
    const { type, nillable } = part;
    const typeName = typeof type === "string" ? `${this.prefix}:${type}` : `tns:${type.name}`;
    return xml`<${this.prefix}:element ${this.style.occurs(part)} name="${name}"${nillable && xml` nillable="true"`} type="${typeName}" />`;
  }
}
