import { BlockList, isIP, isIPv4 } from "node:net";
import { headerOf, listValues } from "../../bindings/http.ts";
import { isLoopback, isThisMachine } from "../cors/cors-policy.ts";
import type { Log } from "../log.ts";
import type { Config } from "../settings/settings.ts";
import type { IncomingRequest } from "./incoming-request.ts";

/** The warning about a peer that is no trusted proxy. */
const ignored =
  "X-Forwarded-For is ignored: its sender is not in WFH_TRUSTED_PROXIES. If that is your proxy, all visitors count as one, and a few wrong passwords block them all";

type ForwardedRequest = Pick<IncomingRequest, "head" | "peer">;

/** Facts about a request's client; `X-Forwarded-*` counts only from WFH_TRUSTED_PROXIES. */
export class TrustedProxies {
  private readonly proxies = new BlockList();
  private readonly hasProxies: boolean;
  private readonly isHttps: boolean;
  private log: Pick<Log, "warn"> | undefined;

  /**
   * @param config trustedProxies: addresses and networks, for example `["127.0.0.1",
   * "10.0.0.0/8"]`.
   * @param log gets one warning, of the first peer whose `X-Forwarded-For` is not believed.
   */
  constructor(config: Pick<Config, "trustedProxies" | "baseUrl">, log?: Pick<Log, "warn">) {
    this.log = log;
    this.hasProxies = config.trustedProxies.length > 0;
    for (const entry of config.trustedProxies) {
      const [address = "", bits] = entry.split("/");
      if (bits === undefined) this.proxies.addAddress(address, familyOf(address));
      else this.proxies.addSubnet(address, Number(bits), familyOf(address));
    }
    this.isHttps = config.baseUrl?.startsWith("https:") ?? false;
  }

  /** Returns true for the IP address, without a port, of a trusted proxy. */
  includes(address: string): boolean {
    return this.hasProxies && this.proxies.check(address, familyOf(address));
  }

  /** Client's address: `X-Forwarded-For`'s last hop that is no trusted proxy; null if unknown. */
  addressOf({ head, peer = "" }: ForwardedRequest): string | null {
    let address = plainAddress(peer);
    if (address === null) return address;
    if (!this.hasProxies || !this.includes(address)) {
      if (headerOf(head, "x-forwarded-for") === undefined) return address;
      this.log?.warn({ peer: address }, ignored);
      this.log = undefined;
      return address;
    }
    for (const hop of listValues(head, "x-forwarded-for").reverse()) {
      const next = plainAddress(hop);
      // Nothing beyond a hop that is not an address can be believed.
      if (next === null) return address;
      address = next;
      if (!this.includes(address)) return address;
    }
    return address;
  }

  /** Returns https where a trusted proxy says so, since the server itself speaks only http. */
  schemeOf(request: ForwardedRequest): "http" | "https" {
    return this.forwardedScheme(request) === "https" ? "https" : "http";
  }

  /**
   * True when the request could not be read on its way: over HTTPS, or from this machine, where
   * forms are tried. What a trusted proxy says counts before WFH_BASE_URL (decision 0025).
   */
  isSecure(request: ForwardedRequest): boolean {
    const scheme = this.forwardedScheme(request);
    if (scheme !== undefined) return scheme === "https";
    if (this.isHttps) return true;
    const address = plainAddress(request.peer ?? "");
    const host = headerOf(request.head, "host") ?? "";
    return address !== null && isLoopback(address) && isThisMachine(host);
  }

  /** The last `X-Forwarded-Proto` in small letters; undefined when the peer is not trusted. */
  private forwardedScheme({ head, peer = "" }: ForwardedRequest): string | undefined {
    const address = plainAddress(peer);
    if (address === null || !this.includes(address)) return undefined;
    return listValues(head, "x-forwarded-proto").at(-1)?.toLowerCase();
  }
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}

/** Returns an address without brackets and port, IPv4 in IPv6 as IPv4; null for anything else. */
function plainAddress(text: string): string | null {
  if (isIPv4(text)) return text;
  const bare =
    /^\[([0-9a-f:.]+)\](?::\d+)?$/i.exec(text)?.[1] ?? text.replace(/^([\d.]+):\d+$/, "$1");
  const address = bare.replace(/^::ffff:(?=\d+\.)/i, "");
  return isIP(address) === 0 ? null : address;
}
