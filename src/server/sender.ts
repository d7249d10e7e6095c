import { BlockList, isIP } from "node:net";
import { type HttpHead, headerOf } from "../bindings/http.ts";

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
  const proxies = new BlockList();
  for (const entry of trusted) {
    const [address = "", bits] = entry.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (bits === undefined) proxies.addAddress(address, family);
    else proxies.addSubnet(address, Number(bits), family);
  }
  const isTrusted = (address: string) =>
    proxies.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
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
  for (const hop of forwardedHops(head).reverse()) {
    const next = plainAddress(hop.trim());
    // Beyond a hop that is no address nothing can be believed.
    if (next === null) return address;
    address = next;
    if (!isTrusted(address)) return address;
  }
  return address;
}

/** The hops of every field of the name, in order: a proxy may add one of its own behind the caller's. */
function forwardedHops({ headers }: HttpHead): string[] {
  const values = headers.filter(
    (_value, i) => i % 2 === 1 && headers[i - 1]?.toLowerCase() === "x-forwarded-for",
  );
  return values.join(",").split(",");
}

/** An address without a port, and IPv4 in IPv6 as IPv4; null for anything else. */
function plainAddress(text: string): string | null {
  const bare =
    /^\[([0-9a-f:.]+)\](?::\d+)?$/i.exec(text)?.[1] ?? text.replace(/^([\d.]+):\d+$/, "$1");
  const address = bare.replace(/^::ffff:(?=\d+\.)/i, "");
  return isIP(address) === 0 ? null : address;
}
