import { compileJsonObject } from "../../codec/json/writer.ts";
import { cacheTexts } from "../../codec/text.ts";
import type { Operation, Resource, RestApi } from "../../contract/operation.ts";
import { type HttpHead, type HttpResponse, hasETag, openToAll } from "../http.ts";

/** Caches may keep a look-up for an hour without asking. */
export const lookUpCaching = "public, max-age=3600";
const contentType = ["Content-Type", "application/json"];
const uncached = ["Cache-Control", "no-store"];
const noContent: HttpResponse = { status: 204, headers: uncached, body: "" };

/**
 * Compiles an operation's response writer; look-ups get an ETag, and 304 where the caller has it.
 *
 * @param version of everything that look-ups depend on.
 */
export function compileEncode(
  { result, resource }: Pick<Operation, "result"> & { readonly resource: Resource },
  callers: RestApi["callers"],
  version: () => string,
): (result: unknown, head: Pick<HttpHead, "headers">) => HttpResponse {
  if (result === undefined) return () => noContent;
  const writeAnew = compileJsonObject(result, { longsAsText: true }) as (value: unknown) => string;
  const write = resource.fewResults ? cacheTexts(writeAnew) : writeAnew;
  if (!resource.cacheable) {
    const headers = [...uncached, ...contentType];
    return (value) => ({ status: 200, headers, body: write(value) });
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
