import { type HttpHead, headerOf } from "../../bindings/http.ts";
import { isLoopback, isThisMachine } from "../cors/own-host.ts";
import type { Config } from "../settings/settings.ts";
import { createProxyTest, listValues, plainAddress } from "./trusted-proxies.ts";

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
  const forwardedScheme = createForwardedScheme(trustedProxies);
  const isHttps = baseUrl?.startsWith("https:") ?? false;
  return (peer, head) => {
    const address = plainAddress(peer ?? "");
    if (address === null) return isHttps;
    const scheme = forwardedScheme(address, head);
    if (scheme !== undefined) return scheme === "https";
    return isHttps || (isLoopback(address) && isThisMachine(headerOf(head, "host") ?? ""));
  };
}

/**
 * Makes the finder of the scheme that the caller of a request used: what a trusted proxy says by the last
 * `X-Forwarded-Proto`, else http, since the server itself speaks nothing else.
 *
 * @param trusted addresses and networks, for example `["127.0.0.1", "10.0.0.0/8"]`.
 */
export function createSchemeFinder(
  trusted: readonly string[],
): (peer: string | undefined, head: HttpHead) => "http" | "https" {
  const forwardedScheme = createForwardedScheme(trusted);
  return (peer, head) => {
    const address = plainAddress(peer ?? "");
    const scheme = address === null ? undefined : forwardedScheme(address, head);
    return scheme === "https" ? scheme : "http";
  };
}

/** What a proxy says of the scheme, in small letters; undefined where it says nothing or is not trusted. */
function createForwardedScheme(trusted: readonly string[]) {
  const isTrusted = createProxyTest(trusted);
  return (address: string, head: HttpHead): string | undefined =>
    isTrusted(address) ? listValues(head, "x-forwarded-proto").at(-1)?.toLowerCase() : undefined;
}
