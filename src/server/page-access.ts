import type { HttpResponse } from "../bindings/http.ts";
import { type Caller, createPlaceTest } from "./caller-place.ts";
import { textAnswer } from "./choose-binding.ts";
import type { Config } from "./settings.ts";

/** What of the pages a caller may see. */
export type PageAccess =
  /** Pages and forms, those of operations with credentials too. */
  | { readonly kind: "all" }
  /** Pages, and the forms of operations without credentials. */
  | { readonly kind: "public" }
  | { readonly kind: "none"; readonly answer: HttpResponse };

/** Decides what the caller of a request may see. */
export type JudgePageAccess = (caller: Caller) => PageAccess;

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
  const isHere = createPlaceTest(trustedProxies);
  return (caller) => (isHere(caller) ? { kind: "all" } : elsewhere);
}
