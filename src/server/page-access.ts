import { type HttpHead, type HttpResponse, headerOf } from "../bindings/http.ts";
import { textAnswer } from "./choose-binding.ts";
import { isLoopback, isThisMachine } from "./own-host.ts";
import type { Config } from "./settings.ts";
import type { Incoming } from "./site.ts";
import { createProxyTest, listedIn, plainAddress } from "./trusted-proxies.ts";

/** What of the pages a caller may see. */
export type PageAccess =
  /** Pages and forms, those of operations with credentials too. */
  | { readonly kind: "all" }
  /** Pages, and the forms of operations without credentials. */
  | { readonly kind: "public" }
  | { readonly kind: "none"; readonly answer: HttpResponse };

/** Decides what the caller of a request may see. */
export type JudgePageAccess = (incoming: Pick<Incoming, "head" | "sender">) => PageAccess;

const off: PageAccess = {
  kind: "none",
  answer: textAnswer(404, "This server shows no pages. Services have their WSDL at ?wsdl."),
};

const elsewhere: PageAccess = {
  kind: "none",
  answer: textAnswer(
    403,
    "The pages of this server are shown only on the machine that it runs on, not through a proxy (WFH_HELP_PAGES). Services have their WSDL at ?wsdl.",
  ),
};

/** Makes the decision over pages and forms by the setting WFH_HELP_PAGES (decision 0030). */
export function createPageAccess({
  helpPages,
  trustedProxies,
}: Pick<Config, "helpPages" | "trustedProxies">): JudgePageAccess {
  if (helpPages === "off") return () => off;
  if (helpPages === "on") return () => ({ kind: "public" });
  const isTrusted = createProxyTest(trustedProxies);
  return (incoming) => (isHere(incoming, isTrusted) ? { kind: "all" } : elsewhere);
}

/**
 * Whether a request comes from this very machine. Behind a proxy that nobody told us to trust every caller seems to be here,
 * so what such a proxy adds speaks against it; and a Host that is another name may be a stranger's
 * who pointed it here (DNS rebinding).
 */
function isHere(
  { head, sender }: Parameters<JudgePageAccess>[0],
  isTrusted: (address: string) => boolean,
): boolean {
  const { address } = sender();
  if (address === null || !isLoopback(address)) return false;
  if (!isThisMachine(headerOf(head, "host") ?? "")) return false;
  return !isForwarded(head) || (isTrusted(address) && isForwardedFromHere(head));
}

/** Names of headers that proxies add; a browser that opens a page sends none of them. */
const forwarded = /^(?:x-.*|cf-.*|forwarded|via|client-ip|true-client-ip)$/i;

/** Whether a proxy has left its mark. Some leave none but that they close the connection, which no browser asks for. */
function isForwarded(head: HttpHead): boolean {
  if (listedIn(head, "connection").some((option) => option.toLowerCase() === "close")) return true;
  return head.headers.some((name, i) => i % 2 === 0 && forwarded.test(name));
}

/** Whether a proxy says for whom it asks, and that is somebody here: what it does not say, or not as an address, is not here. */
function isForwardedFromHere(head: HttpHead): boolean {
  const hops = listedIn(head, "x-forwarded-for").map((hop) => plainAddress(hop));
  return hops.length > 0 && hops.every((hop) => hop !== null && isLoopback(hop));
}
