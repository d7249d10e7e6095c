import { xmlDeclaration } from "../../codec/xml/escape.ts";
import { actionOf, interfaceNameOf, type NamedService } from "../../contract/action.ts";
import type { ServiceContract, Stack } from "../../contract/operation.ts";
import { type DescribedService, isOffered, operationsOf } from "../described-service.ts";
import { type Markup, textOf, xml } from "../markup.ts";
import { indentXml } from "../samples/indent.ts";

/** A document as text, without a line end after the root, like the reference stack. */
export function renderDocument(root: Markup): string {
  const text = textOf(root).replace(/<([\w:]+)([^<>]*)>\s*<\/\1>/g, "<$1$2 />");
  return indentXml(xmlDeclaration + text);
}

/** Namespaces of WSDL 1.1 and its SOAP bindings, with the prefixes that both stacks use. */
export const wsdlNamespaces: Markup = xml`xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:soap12="http://schemas.xmlsoap.org/wsdl/soap12/"`;

/** A port of a service for one version of SOAP; its binding has the same name. */
export interface SoapPort {
  readonly version: "soap11" | "soap12";
  readonly name: string;
}

/** Port names of each stack: generated clients and their settings contain them. */
const portNames: Readonly<
  Record<Stack, (contract: ServiceContract, version: SoapPort["version"]) => string>
> = {
  asmx: ({ name }, version) => `${name}${version === "soap11" ? "Soap" : "Soap12"}`,
  wcf: (contract, version) =>
    `${version === "soap11" ? "BasicHttpBinding" : "CustomBinding"}_${interfaceNameOf(contract)}`,
};

/** The SOAP ports of a service, SOAP 1.1 first. */
export function soapPortsOf(service: NamedService): readonly SoapPort[] {
  const { contract } = service;
  return (["soap11", "soap12"] as const)
    .filter((version) => isOffered(service, version))
    .map((version) => ({ version, name: portNames[contract.stack](contract, version) }));
}

const soapPrefixes = { soap11: "soap", soap12: "soap12" } as const;

/** A message with one part. The part's name `parameters` tells generators that the call is wrapped. */
export function soapMessage(name: string, wrapper: string): Markup {
  return xml`<wsdl:message name="${name}"><wsdl:part name="parameters" element="tns:${wrapper}" /></wsdl:message>`;
}

/** A summary, for the comments of generated clients. */
export function documentation(summary: string): Markup {
  return xml`<wsdl:documentation>${summary}</wsdl:documentation>`;
}

/** For SOAP 1.2 too: Mono's generator ignores the URI that the W3C defines for it. */
const soapOverHttp = "http://schemas.xmlsoap.org/soap/http";

/** A SOAP binding of all operations, document/literal. */
export function soapBinding(
  service: DescribedService,
  { version, name }: SoapPort,
  portType: string,
): Markup {
  const soap = soapPrefixes[version];
  const operations = operationsOf(service).map(
    ([operation]) => xml`<wsdl:operation name="${operation}">
      <${soap}:operation soapAction="${actionOf(service, operation)}" style="document" />
      <wsdl:input><${soap}:body use="literal" /></wsdl:input>
      <wsdl:output><${soap}:body use="literal" /></wsdl:output>
      </wsdl:operation>`,
  );
  return xml`<wsdl:binding name="${name}" type="tns:${portType}">
    <${soap}:binding transport="${soapOverHttp}" />
    ${operations}
    </wsdl:binding>`;
}

/** A port that has the name of its binding. */
export function port(name: string, prefix: string, { address }: DescribedService): Markup {
  return xml`<wsdl:port name="${name}" binding="tns:${name}"><${prefix}:address location="${address}" /></wsdl:port>`;
}

/** A port of a SOAP binding. */
export function soapPort({ name, version }: SoapPort, service: DescribedService): Markup {
  return port(name, soapPrefixes[version], service);
}
