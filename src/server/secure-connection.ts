import { type HttpHead, headerOf } from "../bindings/http.ts";
import { isLoopback, isThisMachine } from "./own-host.ts";
import type { Config } from "./settings.ts";
import { createProxyTest, listedIn, plainAddress } from "./trusted-proxies.ts";

/**
 * Makes the test for a request that nobody on the way could read: one over HTTPS, or within this very machine, where
 * forms are tried out. What a trusted proxy says of it, by the last `X-Forwarded-Proto`, counts before
 * WFH_BASE_URL (decision 0025).
 */
export function createSecureTest({
  trustedProxies,
  baseUrl,
}: Pick<Config, "trustedProxies" | "baseUrl">): (
  peer: string | undefined,
  head: HttpHead,
) => boolean {
  const isTrusted = createProxyTest(trustedProxies);
  const isHttps = baseUrl?.startsWith("https:") ?? false;
  return (peer, head) => {
    const address = plainAddress(peer ?? "");
    if (address === null) return isHttps;
    const scheme = isTrusted(address) ? listedIn(head, "x-forwarded-proto").at(-1) : undefined;
    if (scheme !== undefined) return scheme.toLowerCase() === "https";
    return isHttps || (isLoopback(address) && isThisMachine(headerOf(head, "host") ?? ""));
  };
}
