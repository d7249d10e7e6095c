import { xsdNamespace } from "../../codec/xml/escape.ts";
import { actionOf, interfaceNameOf } from "../../contract/action.ts";
import { type DescribedService, operationsOf } from "../described-service.ts";
import { describeSchema, schemaPrefixOf } from "./schema.ts";
import { soapPortsOf } from "./soap-ports.ts";
import {
  documentation,
  soapBinding,
  soapMessage,
  soapPort,
  wsdlNamespaces,
} from "./wsdl-elements.ts";
import { element, renderXmlDocument, type XmlNode } from "./xml-document.ts";

/**
 * The WSDL of a service in the shape of WCF, everything in one document (decision 0028): what WCF itself calls
 * its single WSDL.
 */
export function renderWcfWsdl(service: DescribedService): string {
  const { contract, namespace } = service;
  const ports = soapPortsOf(service);
  const root = {
    name: contract.name,
    targetNamespace: namespace,
    ...wsdlNamespaces,
    "xmlns:wsaw": "http://www.w3.org/2006/05/addressing/wsdl",
    "xmlns:tns": namespace,
  };
  return renderXmlDocument(
    element("wsdl:definitions", root, [
      element("wsdl:types", {}, [schemaOf(service, {})]),
      ...operationsOf(service).flatMap(([operation]) => [
        soapMessage(messageOf(service, operation, "Input"), operation),
        soapMessage(messageOf(service, operation, "Output"), `${operation}Response`),
      ]),
      describePortType(service),
      ...ports.map((one) => soapBinding(service, one, interfaceNameOf(contract))),
      element("wsdl:service", { name: contract.name }, [
        documentation(contract.summary),
        ...ports.map((one) => soapPort(one, service)),
      ]),
    ]),
  );
}

/** The schema of a service as a document of its own, for tools that ask for WCF's `?xsd=xsd0`. */
export function renderWcfSchema(service: DescribedService): string {
  return renderXmlDocument(schemaOf(service, { "xmlns:tns": service.namespace }));
}

function schemaOf(service: DescribedService, more: XmlNode["attributes"]): XmlNode {
  const declarations = { [`xmlns:${schemaPrefixOf("wcf")}`]: xsdNamespace, ...more };
  return describeSchema(service, { declarations, roots: [] });
}

function messageOf(
  { contract }: DescribedService,
  operation: string,
  direction: "Input" | "Output",
): string {
  return `${interfaceNameOf(contract)}_${operation}_${direction}Message`;
}

function describePortType(service: DescribedService): XmlNode {
  const operations = operationsOf(service).map(([name, { summary }]) =>
    element("wsdl:operation", { name }, [
      documentation(summary),
      element("wsdl:input", {
        "wsaw:Action": actionOf(service, name),
        message: `tns:${messageOf(service, name, "Input")}`,
      }),
      element("wsdl:output", {
        "wsaw:Action": actionOf(service, `${name}Response`),
        message: `tns:${messageOf(service, name, "Output")}`,
      }),
    ]),
  );
  return element("wsdl:portType", { name: interfaceNameOf(service.contract) }, operations);
}
