import { xsdNamespace } from "../../codec/xml/escape.ts";
import { bindings } from "../../contract/bindings.ts";
import type { Operation, Shape } from "../../contract/operation.ts";
import { type DescribedService, isOffered, operationsOf } from "../described-service.ts";
import { describeSchema, schemaPrefixOf } from "./schema.ts";
import { soapPortsOf } from "./soap-ports.ts";
import {
  documentation,
  port,
  soapBinding,
  soapMessage,
  soapPort,
  wsdlNamespaces,
} from "./wsdl-elements.ts";
import { element, renderXmlDocument, type XmlNode } from "./xml-document.ts";

const types = schemaPrefixOf("asmx");

type HttpName = "http-get" | "http-post";

/** What ASP.NET puts behind the name of a service to name its portTypes; ports of HTTP have the same names. */
const suffixes: Readonly<Record<HttpName | "soap", string>> = {
  soap: "Soap",
  "http-get": "HttpGet",
  "http-post": "HttpPost",
};

/**
 * The WSDL of a service in the shape of ASP.NET's ASMX (decision 0028): a port for each SOAP version and each HTTP
 * method over three portTypes, everything in one document.
 */
export function renderAsmxWsdl(service: DescribedService): string {
  const { contract, namespace } = service;
  const https = (["http-get", "http-post"] as const).filter((name) => isOffered(service, name));
  const soaps = soapPortsOf(service);
  const schema = describeSchema(service, {
    declarations: {},
    roots: https.length === 0 ? [] : rootsOf(service),
  });
  const root = {
    ...wsdlNamespaces,
    "xmlns:http": "http://schemas.xmlsoap.org/wsdl/http/",
    "xmlns:mime": "http://schemas.xmlsoap.org/wsdl/mime/",
    [`xmlns:${types}`]: xsdNamespace,
    "xmlns:tns": namespace,
    targetNamespace: namespace,
  };
  return renderXmlDocument(
    element("wsdl:definitions", root, [
      element("wsdl:types", {}, [schema]),
      ...soapMessages(service),
      ...https.flatMap((http) => httpMessages(service, http)),
      portType(service, "soap"),
      ...https.map((http) => portType(service, http)),
      ...soaps.map((soap) => soapBinding(service, soap, contract.name + suffixes.soap)),
      ...https.map((http) => httpBinding(service, http)),
      element("wsdl:service", { name: contract.name }, [
        documentation(contract.summary),
        ...soaps.map((soap) => soapPort(soap, service)),
        ...https.map((http) => port(contract.name + suffixes[http], "http", service)),
      ]),
    ]),
  );
}

/** Shapes that are the root element of an answer over HTTP GET and POST. */
function rootsOf(service: DescribedService): readonly Shape[] {
  const results = operationsOf(service).flatMap(([, { result }]) => result ?? []);
  return [...new Map(results.map((shape) => [shape.name, shape])).values()];
}

function soapMessages(service: DescribedService): readonly XmlNode[] {
  return operationsOf(service).flatMap(([name]) => [
    soapMessage(`${name}SoapIn`, name),
    soapMessage(`${name}SoapOut`, `${name}Response`),
  ]);
}

function httpMessages(service: DescribedService, http: HttpName): readonly XmlNode[] {
  const suffix = suffixes[http];
  return operationsOf(service).flatMap(([operation, { input, result }]) => [
    element(
      "wsdl:message",
      { name: `${operation}${suffix}In` },
      // Over HTTP every parameter is text.
      Object.keys(input).map((name) => element("wsdl:part", { name, type: `${types}:string` })),
    ),
    element(
      "wsdl:message",
      { name: `${operation}${suffix}Out` },
      result === undefined
        ? []
        : [element("wsdl:part", { name: "Body", element: `tns:${result.name}` })],
    ),
  ]);
}

function portType(service: DescribedService, kind: "soap" | HttpName): XmlNode {
  const suffix = suffixes[kind];
  const operations = operationsOf(service).map(([name, { summary }]) =>
    element("wsdl:operation", { name }, [
      documentation(summary),
      element("wsdl:input", { message: `tns:${name}${suffix}In` }),
      element("wsdl:output", { message: `tns:${name}${suffix}Out` }),
    ]),
  );
  return element("wsdl:portType", { name: service.contract.name + suffix }, operations);
}

function httpBinding(service: DescribedService, http: HttpName): XmlNode {
  const name = service.contract.name + suffixes[http];
  const { method } = bindings[http];
  const operations = operationsOf(service).map(([operation, facts]) =>
    element("wsdl:operation", { name: operation }, [
      element("http:operation", { location: `/${operation}` }),
      element("wsdl:input", {}, [requestForm(http)]),
      element("wsdl:output", {}, answerForm(facts)),
    ]),
  );
  return element("wsdl:binding", { name, type: `tns:${name}` }, [
    element("http:binding", { verb: method }),
    ...operations,
  ]);
}

function requestForm(http: HttpName): XmlNode {
  const { requestMediaType } = bindings[http];
  return requestMediaType === null
    ? element("http:urlEncoded")
    : element("mime:content", { type: requestMediaType });
}

function answerForm({ result }: Operation): readonly XmlNode[] {
  return result === undefined ? [] : [element("mime:mimeXml", { part: "Body" })];
}
