import { xsdNamespace } from "../../codec/xml/escape.ts";
import { bindings } from "../../contract/bindings.ts";
import type { Shape } from "../../contract/operation.ts";
import { type DescribedService, isOffered, operationsOf } from "../described-service.ts";
import { type Markup, xml } from "../markup.ts";
import {
  documentation,
  port,
  renderDocument,
  soapBinding,
  soapMessage,
  soapPort,
  soapPortsOf,
  wsdlNamespaces,
} from "./elements.ts";
import { renderSchema } from "./schema.ts";

type HttpName = "http-get" | "http-post";

/** What ASP.NET appends to the name of a service to name its portTypes and its HTTP ports. */
const suffixes: Readonly<Record<HttpName | "soap", string>> = {
  soap: "Soap",
  "http-get": "HttpGet",
  "http-post": "HttpPost",
};

/**
 * The WSDL of a service in the shape of ASP.NET's ASMX (decision 0028): a port for each SOAP version
 * and each HTTP method over three portTypes, in one document.
 */
export function renderAsmxWsdl(service: DescribedService): string {
  const { contract, namespace } = service;
  const https = (["http-get", "http-post"] as const).filter((name) => isOffered(service, name));
  const soaps = soapPortsOf(service);
  const roots = https.length === 0 ? [] : rootsOf(service);
  return renderDocument(xml`<wsdl:definitions ${wsdlNamespaces} xmlns:http="http://schemas.xmlsoap.org/wsdl/http/" xmlns:mime="http://schemas.xmlsoap.org/wsdl/mime/" xmlns:s="${xsdNamespace}" xmlns:tns="${namespace}" targetNamespace="${namespace}">
    <wsdl:types>${renderSchema(service, { roots })}</wsdl:types>
    ${operationsOf(service).map(([name]) => [
      soapMessage(`${name}SoapIn`, name),
      soapMessage(`${name}SoapOut`, `${name}Response`),
    ])}
    ${https.map((http) => httpMessages(service, http))}
    ${(["soap", ...https] as const).map((kind) => portType(service, kind))}
    ${soaps.map((soap) => soapBinding(service, soap, contract.name + suffixes.soap))}
    ${https.map((http) => httpBinding(service, http))}
    <wsdl:service name="${contract.name}">
    ${documentation(contract.summary)}
    ${soaps.map((soap) => soapPort(soap, service))}
    ${https.map((http) => port(contract.name + suffixes[http], "http", service))}
    </wsdl:service>
    </wsdl:definitions>`);
}

/** Shapes that are the root element of a response over HTTP GET and POST. */
function rootsOf(service: DescribedService): readonly Shape[] {
  const results = operationsOf(service).flatMap(([, { result }]) => result ?? []);
  return [...new Map(results.map((shape) => [shape.name, shape])).values()];
}

/** Messages over HTTP, where every parameter is text. */
function httpMessages(service: DescribedService, http: HttpName): readonly Markup[] {
  const suffix = suffixes[http];
  return operationsOf(service).map(
    ([operation, { input, result }]) => xml`<wsdl:message name="${operation}${suffix}In">
      ${Object.keys(input).map((name) => xml`<wsdl:part name="${name}" type="s:string" />`)}
      </wsdl:message>
      <wsdl:message name="${operation}${suffix}Out">
      ${result && xml`<wsdl:part name="Body" element="tns:${result.name}" />`}
      </wsdl:message>`,
  );
}

function portType(service: DescribedService, kind: "soap" | HttpName): Markup {
  const suffix = suffixes[kind];
  const operations = operationsOf(service).map(
    ([name, { summary }]) => xml`<wsdl:operation name="${name}">
      ${documentation(summary)}
      <wsdl:input message="tns:${name}${suffix}In" />
      <wsdl:output message="tns:${name}${suffix}Out" />
      </wsdl:operation>`,
  );
  return xml`<wsdl:portType name="${service.contract.name + suffix}">${operations}</wsdl:portType>`;
}

function httpBinding(service: DescribedService, http: HttpName): Markup {
  const name = service.contract.name + suffixes[http];
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
