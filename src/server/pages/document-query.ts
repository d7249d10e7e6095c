import type { Stack } from "../../contract/operation.ts";
import type { DescribedService } from "../../metadata/described-service.ts";
import { renderAsmxWsdl } from "../../metadata/wsdl/asmx-wsdl.ts";
import { renderDiscovery } from "../../metadata/wsdl/discovery.ts";
import { renderWcfSchema, renderWcfWsdl } from "../../metadata/wsdl/wcf-wsdl.ts";

/** Makes a document of a service as its caller reaches it. */
export type RenderDocument = (service: DescribedService) => string;

/** What a query asks for: a document, one that there is not, the page of an operation or, where it is undefined, none of them. */
export type DocumentRequest =
  | { readonly render: RenderDocument }
  | { readonly missing: string }
  | { readonly operation: string };

/** Asks for the page of the operation that is its value. */
const operationParameter = "op";

/** Documents of one parameter by its values. */
interface ParameterDocuments {
  readonly byValue: Readonly<Record<string, RenderDocument>>;
  /** Said of any other value, in the words of the reference stack (wire cases `doc-schema`, `doc-wsdl-eq`). */
  readonly missing: string;
}

const noWsdl = "XML Web service description was not found.";
const noSchema = "Schema not found.";
const noDiscovery = "Discovery document not found.";

const discovery = { byValue: { "": renderDiscovery }, missing: noDiscovery };
const wcfWsdl = { byValue: { "": renderWcfWsdl }, missing: noWsdl };

/** The documents of each stack by the parameters that ask for them, in small letters. */
const documents: Readonly<Record<Stack, ReadonlyMap<string, ParameterDocuments>>> = {
  asmx: new Map<string, ParameterDocuments>([
    ["wsdl", { byValue: { "": renderAsmxWsdl }, missing: noWsdl }],
    ["schema", { byValue: {}, missing: noSchema }],
    ["disco", discovery],
  ]),
  wcf: new Map<string, ParameterDocuments>([
    ["wsdl", wcfWsdl],
    ["singlewsdl", wcfWsdl],
    ["xsd", { byValue: { xsd0: renderWcfSchema }, missing: noSchema }],
    ["disco", discovery],
  ]),
};

/**
 * What a query asks for; undefined where it asks for no document, which means the help page. Names and values match in any
 * case, `?wsdl=` is `?wsdl`, `?op=` is nothing, and the first parameter that is known decides.
 */
export function readDocumentQuery(stack: Stack, query: string): DocumentRequest | undefined {
  for (const [name, value] of new URLSearchParams(query)) {
    if (name.toLowerCase() === operationParameter && value !== "") return { operation: value };
    const parameter = documents[stack].get(name.toLowerCase());
    if (parameter === undefined) continue;
    const { byValue, missing } = parameter;
    const key = value.toLowerCase();
    if (Object.hasOwn(byValue, key)) return { render: byValue[key] as RenderDocument };
    if (value !== "") return { missing };
  }
  return undefined;
}
