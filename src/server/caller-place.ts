import { type HttpHead, headerOf } from "../bindings/http.ts";
import { isLoopback, isThisMachine } from "./own-host.ts";
import type { Incoming } from "./site.ts";
import { createProxyTest, listedIn, plainAddress } from "./trusted-proxies.ts";

/** What of a request tells where its caller is. */
export type Caller = Pick<Incoming, "head" | "sender">;

/**
 * Makes the test whether a request comes from this very machine. Behind a proxy that nobody told us to trust every caller seems
 * to be here, so what such a proxy adds speaks against it; and a Host that is another name may be a stranger's
 * who pointed it here (DNS rebinding). Decision 0030.
 */
export function createPlaceTest(trustedProxies: readonly string[]): (caller: Caller) => boolean {
  const isTrusted = createProxyTest(trustedProxies);
  return (caller) => {
    const { head } = caller;
    const { address } = caller.sender();
    if (address === null || !isLoopback(address)) return false;
    if (!isThisMachine(headerOf(head, "host") ?? "")) return false;
    return !isForwarded(head) || (isTrusted(address) && isForwardedFromHere(head));
  };
}

/**
 * Names of headers that proxies add; a browser that opens a page sends none of them. Prometheus says in one of that kind
 * how long it waits, and is no proxy.
 */
const forwarded =
  /^(?:x-(?!prometheus-scrape-timeout-seconds$).*|cf-.*|forwarded|via|client-ip|true-client-ip)$/i;

/**
 * Whether a proxy has left its mark. Some leave none but that they close the connection, which neither browsers nor
 * Prometheus ask for.
 */
export function isForwarded(head: HttpHead): boolean {
  if (listedIn(head, "connection").some((option) => option.toLowerCase() === "close")) return true;
  return head.headers.some((name, i) => i % 2 === 0 && forwarded.test(name));
}

/** Whether a proxy says for whom it asks, and that is somebody here: what it does not say, or not as an address, is not here. */
function isForwardedFromHere(head: HttpHead): boolean {
  const hops = listedIn(head, "x-forwarded-for").map((hop) => plainAddress(hop));
  return hops.length > 0 && hops.every((hop) => hop !== null && isLoopback(hop));
}
