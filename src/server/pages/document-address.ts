import { isIP } from "node:net";
import { headerOf } from "../../bindings/http.ts";
import type { IncomingRequest } from "../http/app.ts";

/** Longest Host, in characters: a name of DNS, a colon and a port. */
const hostMax = 259;

const name = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?$/;

/**
 * Makes the finder of the address of the server, without a slash at its end, as the caller of a request reaches it: WFH_BASE_URL,
 * else the request's Host with the scheme it came by. Undefined where the Host is none: whatever a caller
 * sends there would stand in a document, and clients made of it would call there.
 */
export function createAddressFinder(
  baseUrl: string | undefined,
): (incoming: Pick<IncomingRequest, "head" | "scheme">) => string | undefined {
  if (baseUrl !== undefined) return () => baseUrl;
  return (incoming) => {
    const host = headerOf(incoming.head, "host")?.toLowerCase() ?? "";
    return isHost(host) ? `${incoming.scheme()}://${host}` : undefined;
  };
}

/** Whether a text in small letters is a host with a port or without (RFC 9110 §7.2): a name, an IPv4 address, or an IPv6 address in brackets. */
function isHost(text: string): boolean {
  if (text.length > hostMax) return false;
  const [, host = "", port] = /^(\[[0-9a-f:.]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(text) ?? [];
  if (port !== undefined && (Number(port) === 0 || Number(port) > 65_535)) return false;
  const isWritten = host.startsWith("[") ? isIP(host.slice(1, -1)) === 6 : name.test(host);
  // A name that ends in a number is an IPv4 address to a URL, or no host at all.
  return isWritten && URL.canParse(`http://${text}`);
}
