import type { ServiceContract, Stack } from "../../contract/operation.ts";
import type { PageLink } from "./layout.ts";
import { relativeAddressOf } from "./page-service.ts";

/** A document of a service, with a link to it. */
export interface DocumentLink extends PageLink {
  /** What it is for, as a sentence. */
  readonly meaning: string;
}

/** Documents by queries, which differ by stack (decision 0028). */
const byQuery: Readonly<Record<Stack, readonly DocumentLink[]>> = {
  asmx: [
    { text: "WSDL", href: "?wsdl", meaning: "The service for tools that generate clients." },
    {
      text: "Discovery",
      href: "?disco",
      meaning: "Where the WSDL and the SOAP ports are (DISCO).",
    },
  ],
  wcf: [
    { text: "WSDL", href: "?wsdl", meaning: "The service for tools that generate clients." },
    {
      text: "Single WSDL",
      href: "?singleWsdl",
      meaning: "The same, by the name that newer tools ask for.",
    },
    { text: "Schema", href: "?xsd=xsd0", meaning: "The messages alone, as XML Schema." },
    {
      text: "Discovery",
      href: "?disco",
      meaning: "Where the WSDL and the SOAP ports are (DISCO).",
    },
  ],
};

/** The documents of a service, with links relative to its own address. */
export function listDocuments(contract: ServiceContract): readonly DocumentLink[] {
  const self = relativeAddressOf(contract);
  return [
    ...byQuery[contract.stack],
    { text: "Script proxy", href: `${self}/js`, meaning: "Lets pages call the service by a name." },
    {
      text: "Script proxy, readable",
      href: `${self}/jsdebug`,
      meaning: "The same with comments, for looking into.",
    },
  ];
}
