import { isIP } from "node:net";
import type { Span } from "@opentelemetry/api";
import { type HttpHead, headerOf, readMediaType } from "../../bindings/http.ts";
import type { OpenStreams } from "./response-stream.ts";

/** A request whose head has arrived, without its connection. */
export interface IncomingRequest {
  /** Names the request in the log and in the X-Request-Id of the response. */
  readonly id: string;
  /** Its span; absent where no SDK of OpenTelemetry is loaded, and for pages. */
  readonly span?: Span;
  readonly head: HttpHead;
  /** True at the admin listener, whose callers count as the operator (decision 0051). */
  readonly isAdmin: boolean;
  /** Address at the other end of the connection; undefined when the connection is gone. */
  readonly peer: string | undefined;
  /** Resets its connection; absent on the fast path. */
  readonly disconnect?: () => void;
  /** Open streams of its server; absent where no server has read it. */
  readonly streams?: Pick<OpenStreams, "refuse">;
  /** The body, or its reader, which throws a Fault when it is too long or ends early. */
  readonly body: Uint8Array | (() => Promise<Uint8Array>);
}

/**
 * Splits a request line and its headers. `new URL` would throw on targets that clients can send, so
 * the target is split by hand; the authority of an absolute one is ignored (RFC 9112 §3.2.2).
 */
export function readHead(method: string, target: string, headers: readonly string[]): HttpHead {
  return joinHead(method, target, { headers, contentType: contentTypeOf(headers) });
}

/** Reads the Content-Type; undefined without one. */
export function contentTypeOf(headers: readonly string[]): HttpHead["contentType"] {
  const value = headerOf({ headers }, "content-type");
  return value === undefined ? undefined : readMediaType(value);
}

/** Joins a request line and headers whose content type has been read. */
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
 * Describes, as a sentence, what is invalid in a head, or what two readers could read in two ways;
 * else undefined. HTTP/1.1 requires one valid Host (RFC 9112 §3.2), of several node:http would take
 * the first; a transfer encoding beside chunked would make another body (§6.1).
 */
export function describeInvalidHead(
  headers: readonly string[],
  version: string,
): string | undefined {
  let hosts = 0;
  let host = "";
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i]?.toLowerCase();
    if (name === "host") {
      hosts += 1;
      host = headers[i + 1] ?? "";
    }
    if (name === "transfer-encoding" && headers[i + 1]?.toLowerCase() !== "chunked") {
      return "The only transfer encoding that is supported is chunked.";
    }
  }
  const isMissing = hosts === 0 && version === "1.1";
  if (hosts > 1 || isMissing) return `Expected one Host header, found ${hosts}.`;
  // Empty for a target without an authority (RFC 9110 §7.2).
  return host === "" || isHost(host.toLowerCase()) ? undefined : "The Host header is not a host.";
}

/** Longest Host, in characters: a DNS name, a colon and a port. */
const hostMax = 259;

const hostName = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?$/;

/** True for a host in small letters (RFC 9110 §7.2): a name, IPv4 or [IPv6], maybe with a port. */
function isHost(text: string): boolean {
  if (text.length > hostMax) return false;
  const [, host = "", port] = /^(\[[0-9a-f:.]*\]|[^:]*)(?::(\d{0,5}))?$/.exec(text) ?? [];
  if (port && (Number(port) === 0 || Number(port) > 65_535)) return false;
  return host.startsWith("[") ? isIP(host.slice(1, -1)) === 6 : hostName.test(host);
}
