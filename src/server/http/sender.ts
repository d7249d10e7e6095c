import { type HttpHead, headerOf } from "../../bindings/http.ts";
import { createProxyTest, listValues, plainAddress } from "./trusted-proxies.ts";

/** Who sends a request. */
export interface RequestSender {
  /** IPv4 or IPv6 address; null where it is not known. */
  readonly address: string | null;
  readonly userAgent: string | null;
}

/**
 * Makes the finder of the sender of a request. `X-Forwarded-For` is believed only from the proxies
 * that are trusted, and only back to the first address that is not one of them.
 *
 * @param trusted addresses and networks, for example `["127.0.0.1", "10.0.0.0/8"]`.
 */
export function createSenderFinder(
  trusted: readonly string[],
): (peer: string | undefined, head: HttpHead) => RequestSender {
  const isTrusted = createProxyTest(trusted);
  return (peer, head) => ({
    address: findAddress(peer, head, isTrusted),
    userAgent: userAgentOf(head),
  });
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The browser as it names itself; bytes beyond ASCII are UTF-8 where they can be, else as node:http has them. */
function userAgentOf(head: HttpHead): string | null {
  const name = headerOf(head, "user-agent");
  if (name === undefined) return null;
  try {
    return utf8.decode(Uint8Array.from(name, (unit) => unit.charCodeAt(0)));
  } catch {
    return name;
  }
}

function findAddress(
  peer: string | undefined,
  head: HttpHead,
  isTrusted: (address: string) => boolean,
): string | null {
  let address = plainAddress(peer ?? "");
  if (address === null || !isTrusted(address)) return address;
  for (const hop of listValues(head, "x-forwarded-for").reverse()) {
    const next = plainAddress(hop);
    // Beyond a hop that is no address nothing can be believed.
    if (next === null) return address;
    address = next;
    if (!isTrusted(address)) return address;
  }
  return address;
}
