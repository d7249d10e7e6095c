import { xsdNamespace, xsiNamespace } from "../../codec/xml/escape.ts";
import type { DescribedService } from "../described-service.ts";
import { soapPortsOf } from "./soap-ports.ts";
import { element, renderXmlDocument } from "./xml-document.ts";

/** The discovery document of a service (DISCO): where its WSDL is, and its SOAP ports. */
export function renderDiscovery(service: DescribedService): string {
  const { address, namespace } = service;
  const ports = soapPortsOf(service).map(({ name }, index) =>
    element("soap", {
      address,
      [`xmlns:q${index + 1}`]: namespace,
      binding: `q${index + 1}:${name}`,
      xmlns: "http://schemas.xmlsoap.org/disco/soap/",
    }),
  );
  const root = {
    "xmlns:xsd": xsdNamespace,
    "xmlns:xsi": xsiNamespace,
    xmlns: "http://schemas.xmlsoap.org/disco/",
  };
  return renderXmlDocument(
    element("discovery", root, [
      element("contractRef", {
        ref: `${address}?wsdl`,
        docRef: address,
        xmlns: "http://schemas.xmlsoap.org/disco/scl/",
      }),
      ...ports,
    ]),
  );
}
