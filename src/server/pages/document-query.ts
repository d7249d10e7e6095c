import type { Stack } from "../../contract/operation.ts";
import type { DescribedService } from "../../metadata/described-service.ts";
import { renderAsmxWsdl } from "../../metadata/wsdl/asmx-wsdl.ts";
import { renderDiscovery } from "../../metadata/wsdl/discovery.ts";
import { renderWcfSchema, renderWcfWsdl } from "../../metadata/wsdl/wcf-wsdl.ts";

/** Renders a document of a service as its caller reaches it. */
export type RenderDocument = (service: DescribedService) => string;

/** What the query of a GET asks for. */
export type DocumentRequest =
  | { readonly kind: "document"; readonly name: string; readonly render: RenderDocument }
  /** An unknown document, with the message for it. */
  | { readonly kind: "unknown"; readonly message: string }
  /** A help page: of an operation, by its name as sent, or of the service. */
  | { readonly kind: "page"; readonly operation: string | undefined };

/** The query parameter for the page of an operation. */
const operationParameter = "op";

/** Documents of one query parameter. */
interface ParameterDocuments {
  readonly byValue: Readonly<Record<string, RenderDocument>>;
  /** For any other value, in the words of the reference stack (wire cases `doc-schema`, `doc-wsdl-eq`). */
  readonly unknown: string;
}

const noWsdl = "XML Web service description was not found.";
const noSchema = "Schema not found.";
const noDiscovery = "Discovery document not found.";

const discovery = { byValue: { "": renderDiscovery }, unknown: noDiscovery };
const wcfWsdl = { byValue: { "": renderWcfWsdl }, unknown: noWsdl };

/** The documents of each stack by query parameter, in small letters. */
const documents: Readonly<Record<Stack, ReadonlyMap<string, ParameterDocuments>>> = {
  asmx: new Map<string, ParameterDocuments>([
    ["wsdl", { byValue: { "": renderAsmxWsdl }, unknown: noWsdl }],
    ["schema", { byValue: {}, unknown: noSchema }],
    ["disco", discovery],
  ]),
  wcf: new Map<string, ParameterDocuments>([
    ["wsdl", wcfWsdl],
    ["singlewsdl", wcfWsdl],
    ["xsd", { byValue: { xsd0: renderWcfSchema }, unknown: noSchema }],
    ["disco", discovery],
  ]),
};

/**
 * Reads which document or page a query asks for. Names and values match in any case, `?wsdl=` is `?wsdl`, an empty
 * `?op=` is ignored, and the first known parameter decides.
 */
export function readDocumentQuery(stack: Stack, query: string): DocumentRequest {
  for (const [name, value] of new URLSearchParams(query)) {
    const parameter = name.toLowerCase();
    if (parameter === operationParameter && value !== "") return { kind: "page", operation: value };
    const known = documents[stack].get(parameter);
    if (known === undefined) continue;
    const key = value.toLowerCase();
    const render = Object.hasOwn(known.byValue, key) ? known.byValue[key] : undefined;
    if (render !== undefined) return { kind: "document", name: `${parameter}=${key}`, render };
    if (value !== "") return { kind: "unknown", message: known.unknown };
  }
  return { kind: "page", operation: undefined };
}
