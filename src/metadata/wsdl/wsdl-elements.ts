import { actionOf } from "../../contract/action.ts";
import { type DescribedService, operationsOf } from "../described-service.ts";
import type { SoapName, SoapPort } from "./soap-ports.ts";
import { element, type XmlNode } from "./xml-document.ts";

/** Namespaces of WSDL 1.1 and its bindings, by the prefixes that both stacks give them. */
export const wsdlNamespaces = {
  "xmlns:wsdl": "http://schemas.xmlsoap.org/wsdl/",
  "xmlns:soap": "http://schemas.xmlsoap.org/wsdl/soap/",
  "xmlns:soap12": "http://schemas.xmlsoap.org/wsdl/soap12/",
} as const;

/** For SOAP 1.2 too: Mono's generator makes nothing of the URI that the W3C gives it. */
const soapOverHttp = "http://schemas.xmlsoap.org/soap/http";

/** Prefixes of the SOAP bindings in a WSDL, by our names for them. */
const soapPrefixes: Readonly<Record<SoapName, string>> = { soap11: "soap", soap12: "soap12" };

/** A message with one part. Generators take a call for a wrapped one by the part's name `parameters`. */
export function soapMessage(name: string, wrapper: string): XmlNode {
  const part = element("wsdl:part", { name: "parameters", element: `tns:${wrapper}` });
  return element("wsdl:message", { name }, [part]);
}

/** Summary of something, for the comments of generated clients. */
export function documentation(summary: string): XmlNode {
  return element("wsdl:documentation", {}, summary);
}

/** A SOAP binding of all operations, document/literal. */
export function soapBinding(
  service: DescribedService,
  { version, name }: SoapPort,
  portType: string,
): XmlNode {
  const prefix = soapPrefixes[version];
  const body = () => [element(`${prefix}:body`, { use: "literal" })];
  const operations = operationsOf(service).map(([operation]) =>
    element("wsdl:operation", { name: operation }, [
      element(`${prefix}:operation`, {
        soapAction: actionOf(service, operation),
        style: "document",
      }),
      element("wsdl:input", {}, body()),
      element("wsdl:output", {}, body()),
    ]),
  );
  return element("wsdl:binding", { name, type: `tns:${portType}` }, [
    element(`${prefix}:binding`, { transport: soapOverHttp }),
    ...operations,
  ]);
}

/** A port that has the name of its binding. */
export function port(name: string, prefix: string, { address }: DescribedService): XmlNode {
  const location = element(`${prefix}:address`, { location: address });
  return element("wsdl:port", { name, binding: `tns:${name}` }, [location]);
}

/** A port of a SOAP binding. */
export function soapPort({ name, version }: SoapPort, service: DescribedService): XmlNode {
  return port(name, soapPrefixes[version], service);
}
