import type { ServiceContract } from "../../contract/operation.ts";

/** What namespaces of data contracts begin with by default; it says nothing of the service. */
const dataContracts = "http://schemas.datacontract.org/2004/07/";

/**
 * The global name that pages call a service by, with dots: the name of a class, or the
 * interface of the contract behind what the reference stack makes of the XML namespace, for example
 * `example.org.forms.IWebFormsAjaxEndpoint` of `http://example.org/forms`.
 */
export function scriptProxyName(contract: ServiceContract, namespace: string): string {
  const { interfaceName, name } = contract;
  if (interfaceName === undefined) return name;
  return [...scriptNamespace(namespace), interfaceName].join(".");
}

/** Host and path of an address in parts that can be names; of a text that is no address, all of it. */
function scriptNamespace(namespace: string): readonly string[] {
  return withoutScheme(namespace)
    .split(/[./:]/)
    .map((part) => part.replace(/\W/g, "").replace(/^(?=\d)/, "_"))
    .filter((part) => part !== "");
}

function withoutScheme(namespace: string): string {
  if (namespace.startsWith(dataContracts)) return namespace.slice(dataContracts.length);
  if (!URL.canParse(namespace)) return namespace;
  const { hostname, pathname, search } = new URL(namespace);
  return hostname + pathname + search;
}
