import { BlockList, isIP } from "node:net";
import type { HttpHead } from "../../bindings/http.ts";

/**
 * Makes the test for an address of a proxy whose forwarded headers are believed.
 *
 * @param trusted addresses and networks, for example `["127.0.0.1", "10.0.0.0/8"]`.
 */
export function createProxyTest(trusted: readonly string[]): (address: string) => boolean {
  if (trusted.length === 0) return () => false;
  const proxies = new BlockList();
  for (const entry of trusted) {
    const [address = "", bits] = entry.split("/");
    if (bits === undefined) proxies.addAddress(address, familyOf(address));
    else proxies.addSubnet(address, Number(bits), familyOf(address));
  }
  return (address) => proxies.check(address, familyOf(address));
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}

/**
 * What all fields of a name list between commas, in order and without blanks around: a proxy may add a field of its own
 * behind the caller's. The name is given in lower case.
 */
export function listValues({ headers }: Pick<HttpHead, "headers">, name: string): string[] {
  const values = headers.filter(
    (_value, i) => i % 2 === 1 && headers[i - 1]?.toLowerCase() === name,
  );
  return values.length === 0
    ? []
    : values
        .join(",")
        .split(",")
        .map((value) => value.trim());
}

/** Addresses that are remembered as they were read, and the longest of them, in characters: IPv6 with an IPv4 end, brackets and a port. */
const rememberedMax = 1_024;
const rememberedLength = 53;
const remembered = new Map<string, string | null>();

/** An address without a port, and IPv4 in IPv6 as IPv4; null for anything else. Connections send many requests, so it remembers. */
export function plainAddress(text: string): string | null {
  const known = remembered.get(text);
  if (known !== undefined) return known;
  const address = readAddress(text);
  if (text.length <= rememberedLength) {
    if (remembered.size >= rememberedMax) remembered.clear();
    remembered.set(text, address);
  }
  return address;
}

function readAddress(text: string): string | null {
  const bare =
    /^\[([0-9a-f:.]+)\](?::\d+)?$/i.exec(text)?.[1] ?? text.replace(/^([\d.]+):\d+$/, "$1");
  const address = bare.replace(/^::ffff:(?=\d+\.)/i, "");
  return isIP(address) === 0 ? null : address;
}
