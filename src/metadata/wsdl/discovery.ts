import { xsdNamespace, xsiNamespace } from "../../codec/xml/escape.ts";
import type { DescribedService } from "../described-service.ts";
import { xml } from "../markup.ts";
import { renderDocument, soapPortsOf } from "./elements.ts";

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
