import { type HttpHead, headerOf, readMediaType } from "../../bindings/http.ts";

/**
 * Takes a request line and its headers apart. The target is split by hand, since `new URL` throws
 * on targets that a client can send; of an absolute one the authority is ignored (RFC 9112 §3.2.2).
 */
export function readHead(method: string, target: string, headers: readonly string[]): HttpHead {
  const contentType = headerOf({ headers }, "content-type");
  return joinHead(method, target, {
    headers,
    contentType: contentType === undefined ? undefined : readMediaType(contentType),
  });
}

/** A head of a request line and of fields whose content type has been read. */
export function joinHead(
  method: string,
  target: string,
  { headers, contentType }: Pick<HttpHead, "headers" | "contentType">,
): HttpHead {
  const local = target.startsWith("/") ? target : withoutAuthority(target);
  const mark = local.indexOf("?");
  return {
    method,
    path: mark < 0 ? local : local.slice(0, mark),
    query: mark < 0 ? "" : local.slice(mark + 1),
    headers,
    contentType,
  };
}

function withoutAuthority(target: string): string {
  const match = /^https?:\/\/[^/?]*/i.exec(target);
  if (match === null) return target;
  const rest = target.slice(match[0].length);
  return rest.startsWith("/") ? rest : `/${rest}`;
}

/**
 * What in a head two readers could read in two ways, as a sentence; undefined where nothing is. A
 * request of HTTP/1.1 has one Host (RFC 9112 §3.2), of which node:http would take the first; and a
 * transfer encoding beside chunked would make another body of it (§6.1).
 */
export function describeAmbiguity(headers: readonly string[], version: string): string | undefined {
  let hosts = 0;
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i] ?? "";
    if (name.length === 4 && name.toLowerCase() === "host") hosts += 1;
    if (name.length !== 17 || name.toLowerCase() !== "transfer-encoding") continue;
    if (headers[i + 1]?.toLowerCase() !== "chunked") {
      return "The only transfer encoding that is read is chunked.";
    }
  }
  const isMissing = hosts === 0 && version === "1.1";
  return hosts > 1 || isMissing ? `Expected one Host header, found ${hosts}.` : undefined;
}
