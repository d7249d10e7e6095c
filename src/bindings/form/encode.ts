import {
  escapeAttribute,
  xmlDeclaration,
  xsdNamespace,
  xsiNamespace,
} from "../../codec/xml-text.ts";
import { compileMembers } from "../../codec/xml-writer.ts";
import { type BindingName, bindings } from "../../contract/bindings.ts";
import type { Shape, ShapeValue } from "../../contract/operation.ts";
import { type Call, type NamedService, operationCaching } from "../binding.ts";
import type { HttpResponse } from "../http.ts";

const caching = ["Cache-Control", operationCaching];

/** Compiles the answers of HTTP GET or HTTP POST for a service: the result itself as a document. */
export function compileFormEncode(
  service: NamedService,
  binding: BindingName,
): (call: Call, result: unknown) => HttpResponse {
  const headers = [...caching, "Content-Type", bindings[binding].answerContentType];
  const writers = new Map(
    Object.entries(service.contract.operations).map(([name, { result }]) => [
      name,
      result === undefined ? undefined : compileDocument(result, service, binding),
    ]),
  );
  return (call, result) => {
    const write = writers.get(call.operation);
    // Without a body there is nothing to type (wire case `get-ok-getcity`).
    if (write === undefined) return { status: 200, headers: caching, body: "" };
    return { status: 200, headers, body: write(result) };
  };
}

function compileDocument(
  shape: Shape,
  service: NamedService,
  binding: BindingName,
): (result: unknown) => string {
  const { indent } = bindings[binding];
  const members = compileMembers(shape, { binding, indent }, 0);
  const schema = `xmlns:xsd="${xsdNamespace}" xmlns:xsi="${xsiNamespace}"`;
  const namespace = `xmlns="${escapeAttribute(service.namespace)}"`;
  const start = `${xmlDeclaration}\n<${shape.name} ${schema}`;
  const nil = `${start} xsi:nil="true" ${namespace} />`;
  const empty = `${start} ${namespace} />`;
  const open = `${start} ${namespace}>`;
  const close = `</${shape.name}>`;
  return (result) => {
    if (result === null) return nil;
    const content = members(result as ShapeValue<Shape>);
    return content === "" ? empty : open + content + close;
  };
}
