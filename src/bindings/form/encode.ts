import { xmlDeclaration, xsdNamespace, xsiNamespace } from "../../codec/xml/escape.ts";
import { compileResponseElement, type ResponseStyle } from "../../codec/xml/response-element.ts";
import { type BindingName, bindings } from "../../contract/bindings.ts";
import { type Call, type NamedService, operationCaching } from "../binding.ts";
import type { HttpResponse } from "../http.ts";

const caching = ["Cache-Control", operationCaching];

/** Compiles the answers of HTTP GET or HTTP POST for a service: the result itself as a document. */
export function compileFormEncode(
  service: NamedService,
  binding: BindingName,
): (call: Call, result: unknown) => HttpResponse {
  const { responseContentType, indent } = bindings[binding];
  const headers = [...caching, "Content-Type", responseContentType];
  const style: ResponseStyle = {
    layout: { binding, indent, emptyEnd: " />", nil: 'xsi:nil="true"' },
    namespace: service.namespace,
    declarations: ` xmlns:xsd="${xsdNamespace}" xmlns:xsi="${xsiNamespace}"`,
    nullResult: "nil",
  };
  const writers = new Map(
    Object.entries(service.contract.operations).map(([name, operation]) => [
      name,
      compileResponseElement(name, operation, style),
    ]),
  );
  return ({ operation }, result) => {
    const element = writers.get(operation)?.(result) ?? "";
    // Without a body there is nothing to type (wire case `get-ok-getcity`).
    if (element === "") return { status: 200, headers: caching, body: "" };
    return { status: 200, headers, body: `${xmlDeclaration}\n${element}` };
  };
}
