import { interfaceNameOf, type NamedService } from "../../contract/action.ts";
import type { ServiceContract, Stack } from "../../contract/operation.ts";
import { isOffered } from "../described-service.ts";

/** A binding that carries envelopes. */
export type SoapName = "soap11" | "soap12";

/** A port of a service for one version of SOAP; its binding has the same name. */
export interface SoapPort {
  readonly version: SoapName;
  readonly name: string;
}

/** How each stack names its ports: generated clients and their settings have these names. */
const names: Readonly<Record<Stack, (contract: ServiceContract, version: SoapName) => string>> = {
  asmx: ({ name }, version) => `${name}${version === "soap11" ? "Soap" : "Soap12"}`,
  wcf: (contract, version) =>
    `${version === "soap11" ? "BasicHttpBinding" : "CustomBinding"}_${interfaceNameOf(contract)}`,
};

/** The SOAP ports of a service, SOAP 1.1 first. */
export function soapPortsOf(service: NamedService): readonly SoapPort[] {
  const { contract } = service;
  return (["soap11", "soap12"] as const)
    .filter((version) => isOffered(service, version))
    .map((version) => ({ version, name: names[contract.stack](contract, version) }));
}
