import { xsdNamespace } from "../../codec/xml/escape.ts";
import { actionOf, interfaceNameOf } from "../../contract/action.ts";
import { type DescribedService, operationsOf } from "../described-service.ts";
import { type Markup, xml } from "../markup.ts";
import {
  documentation,
  renderDocument,
  soapBinding,
  soapMessage,
  soapPort,
  soapPortsOf,
  wsdlNamespaces,
} from "./elements.ts";
import { renderSchema } from "./schema.ts";

/** The WSDL of a service in the shape of WCF's single WSDL: one document without imports (decision 0028). */
export function renderWcfWsdl(service: DescribedService): string {
  const { contract, namespace } = service;
  const ports = soapPortsOf(service);
  return renderDocument(xml`<wsdl:definitions name="${contract.name}" targetNamespace="${namespace}" ${wsdlNamespaces} xmlns:wsaw="http://www.w3.org/2006/05/addressing/wsdl" xmlns:tns="${namespace}">
    <wsdl:types>${renderSchema(service, { declarations: schemaNamespace })}</wsdl:types>
    ${operationsOf(service).map(([operation]) => [
      soapMessage(messageName(service, operation, "Input"), operation),
      soapMessage(messageName(service, operation, "Output"), `${operation}Response`),
    ])}
    ${renderPortType(service)}
    ${ports.map((one) => soapBinding(service, one, interfaceNameOf(contract)))}
    <wsdl:service name="${contract.name}">
    ${documentation(contract.summary)}
    ${ports.map((one) => soapPort(one, service))}
    </wsdl:service>
    </wsdl:definitions>`);
}

const schemaNamespace = xml` xmlns:xs="${xsdNamespace}"`;

/** The schema of a service as a document, for tools that request WCF's `?xsd=xsd0`. */
export function renderWcfSchema(service: DescribedService): string {
  const declarations = xml`${schemaNamespace} xmlns:tns="${service.namespace}"`;
  return renderDocument(renderSchema(service, { declarations }));
}

function messageName(
  { contract }: DescribedService,
  operation: string,
  direction: "Input" | "Output",
): string {
  return `${interfaceNameOf(contract)}_${operation}_${direction}Message`;
}

function renderPortType(service: DescribedService): Markup {
  const operations = operationsOf(service).map(
    ([name, { summary }]) => xml`<wsdl:operation name="${name}">
      ${documentation(summary)}
      <wsdl:input wsaw:Action="${actionOf(service, name)}" message="tns:${messageName(service, name, "Input")}" />
      <wsdl:output wsaw:Action="${actionOf(service, `${name}Response`)}" message="tns:${messageName(service, name, "Output")}" />
      </wsdl:operation>`,
  );
  return xml`<wsdl:portType name="${interfaceNameOf(service.contract)}">${operations}</wsdl:portType>`;
}
