import { compileCsv } from "../../codec/csv.ts";
import { compileJsonObject } from "../../codec/json/writer.ts";
import type { InputValues } from "../../codec/parts.ts";
import { cacheTexts } from "../../codec/text.ts";
import type { Operation, Resource, RestApi, Shape } from "../../contract/operation.ts";
import { type HttpHead, type HttpResponse, hasETag, openToAll } from "../http.ts";

/** Caches may keep a look-up for an hour without asking. */
export const lookUpCaching = "public, max-age=3600";
const contentType = ["Content-Type", "application/json"];
const uncached = ["Cache-Control", "no-store"];
/** Content-Type of a table; its first line has the names of its columns (RFC 4180 §3). */
export const tableType = "text/csv; charset=utf-8; header=present";
const noContent: HttpResponse = { status: 204, headers: uncached, body: "" };

/** Returns the response to the result of a request with its values. */
export type EncodeResult = (
  result: unknown,
  head: Pick<HttpHead, "headers">,
  input: InputValues,
) => HttpResponse;

/**
 * Compiles an operation's response writer; look-ups get an ETag, and 304 where the caller has it.
 *
 * @param version of everything that look-ups depend on.
 */
export function compileEncode(
  { result, resource }: Pick<Operation, "result"> & { readonly resource: Resource },
  callers: RestApi["callers"],
  version: () => string,
): EncodeResult {
  if (result === undefined) return () => noContent;
  const writeAnew = compileJsonObject(result, { longsAsText: true }) as (value: unknown) => string;
  const write = resource.fewResults ? cacheTexts(writeAnew) : writeAnew;
  if (!resource.cacheable) {
    const headers = [...uncached, ...contentType];
    const encode = (value: unknown) => ({ status: 200, headers, body: write(value) });
    const { table } = resource;
    return table === undefined ? encode : compileTable(result, table, encode);
  }
  const open = callers === "any" ? openToAll : [];
  // One list of headers for each version, since the server keeps the text of a list.
  let known: string | undefined;
  let etag = "";
  let cached: readonly string[] = [];
  let headers: readonly string[] = [];
  return (value, head) => {
    const current = version();
    if (current !== known) {
      known = current;
      etag = `"${current}"`;
      cached = ["Cache-Control", lookUpCaching, "ETag", etag, ...open];
      headers = [...cached, ...contentType];
    }
    if (hasETag(head, etag)) return { status: 304, headers: cached, body: "" };
    return { status: 200, headers, body: write(value) };
  };
}

/** Compiles the writer of a result that is a table too; `encode` writes it as JSON. */
function compileTable({ parts }: Shape, name: string, encode: EncodeResult): EncodeResult {
  const write = compileCsv(parts[name]?.type as Shape);
  const headers = [...uncached, "Content-Type", tableType];
  return (value, head, input) => {
    if (input["format"] !== "csv") return encode(value, head, input);
    const rows = (value as Readonly<Record<string, readonly object[]>>)[name] ?? [];
    return { status: 200, headers, body: write(rows) };
  };
}
