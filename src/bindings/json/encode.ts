import { compileJsonObject } from "../../codec/json/writer.ts";
import { bindings } from "../../contract/bindings.ts";
import type { Stack } from "../../contract/operation.ts";
import { type Call, errorCaching, type NamedService, operationCaching } from "../binding.ts";
import type { HttpResponse } from "../http.ts";

/** The answer of a void operation, and of one that found nothing. */
const nothing = '{"d":null}';

/** Cache-Control of each stack's answers (wire case `locjson-ok-postal`). */
const caching: Readonly<Record<Stack, string>> = { asmx: operationCaching, wcf: errorCaching };

/** Compiles the answers of JSON for a service: one object whose member `d` is the result. */
export function compileEncode(
  service: NamedService,
): (call: Call, result: unknown) => HttpResponse {
  const { responseContentType } = bindings.json;
  const headers = [
    "Cache-Control",
    caching[service.contract.stack],
    "Content-Type",
    responseContentType,
  ];
  const writers = new Map(
    Object.entries(service.contract.operations).map(([name, { result }]) => [
      name,
      result === undefined ? undefined : compileJsonObject(result, "json"),
    ]),
  );
  return ({ operation }, result) => {
    const write = writers.get(operation);
    const isNothing = write === undefined || result === null || result === undefined;
    const body = isNothing ? nothing : `{"d":${write(result as never)}}`;
    return { status: 200, headers, body };
  };
}
