import { type HttpHead, headerOf, readMediaType } from "../bindings/http.ts";

/**
 * Takes a request line and its headers apart. The target is split by hand, since `new URL` throws
 * on targets that a client can send; of an absolute one the authority is ignored (RFC 9112 §3.2.2).
 */
export function readHead(method: string, target: string, headers: readonly string[]): HttpHead {
  const local = target.startsWith("/") ? target : withoutAuthority(target);
  const mark = local.indexOf("?");
  const contentType = headerOf({ headers }, "content-type");
  return {
    method,
    path: mark < 0 ? local : local.slice(0, mark),
    query: mark < 0 ? "" : local.slice(mark + 1),
    headers,
    contentType: contentType === undefined ? undefined : readMediaType(contentType),
  };
}

function withoutAuthority(target: string): string {
  const match = /^https?:\/\/[^/?]*/i.exec(target);
  if (match === null) return target;
  const rest = target.slice(match[0].length);
  return rest.startsWith("/") ? rest : `/${rest}`;
}

/** How many header fields have a name, given in lower case. */
export function countHeaders(headers: readonly string[], name: string): number {
  let count = 0;
  for (let i = 0; i < headers.length; i += 2) {
    const candidate = headers[i] ?? "";
    if (candidate.length === name.length && candidate.toLowerCase() === name) count += 1;
  }
  return count;
}
