import type { ServiceContract, Stack } from "./operation.ts";

/** A contract with the XML namespace that an installation gives it. */
export interface NamedService {
  readonly contract: ServiceContract;
  /** Element namespace, as it is on the wire. */
  readonly namespace: string;
  /** Global name of its script proxy, where pages know it by another than the default. */
  readonly scriptName?: string | undefined;
}

/**
 * The SOAP action of an operation (contract §4.1 and §4.2), the same over SOAP 1.1 and SOAP 1.2.
 * For the action of a response, give the operation's name with `Response` behind it. As on both
 * stacks, a namespace without a final slash gets one in actions, and none in elements.
 */
export function actionOf({ contract, namespace }: NamedService, operation: string): string {
  return bases[contract.stack]({ contract, namespace }) + operation;
}

const bases: Readonly<Record<Stack, (service: NamedService) => string>> = {
  asmx: ({ namespace }) => namespace.replace(/\/?$/, "/"),
  wcf: ({ contract, namespace }) => `${namespace.replace(/\/$/, "")}/${interfaceNameOf(contract)}/`,
};

/** Name of the interface of a service, where the stack has such names. */
export function interfaceNameOf({
  interfaceName,
  name,
}: Pick<ServiceContract, "interfaceName" | "name">): string {
  return interfaceName ?? name;
}

/** Name of the WSDL's port and binding for a version of SOAP; generated clients contain it. */
export function soapPortNameOf(contract: ServiceContract, version: "soap11" | "soap12"): string {
  const isFirst = version === "soap11";
  return contract.stack === "asmx"
    ? `${contract.name}${isFirst ? "Soap" : "Soap12"}`
    : `${isFirst ? "BasicHttpBinding" : "CustomBinding"}_${interfaceNameOf(contract)}`;
}
