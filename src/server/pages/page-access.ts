import type { HttpResponse } from "../../bindings/http.ts";
import type { IncomingRequest } from "../http/app.ts";
import { textResponse } from "../http/router.ts";
import type { Config } from "../settings/settings.ts";

/** What of the pages a caller may see. */
export type PageAccess =
  /** Pages and forms, those of operations with credentials too. */
  | { readonly kind: "all" }
  /** Pages, and the forms of operations without credentials. */
  | { readonly kind: "public" }
  | { readonly kind: "none"; readonly answer: HttpResponse };

/** Decides what the caller of a request may see. */
export type PageAccessPolicy = (request: Pick<IncomingRequest, "isAdmin">) => PageAccess;

const off: PageAccess = {
  kind: "none",
  answer: textResponse(404, "This server shows no pages. Services have their WSDL at ?wsdl."),
};

const adminOnly: PageAccess = {
  kind: "none",
  answer: textResponse(
    403,
    "The pages of this server are shown at the admin listener only (WFH_HELP_PAGES=admin, WFH_ADMIN_PORT). Services have their WSDL at ?wsdl.",
  ),
};

/** Makes the decision over pages and forms by the setting WFH_HELP_PAGES (decisions 0030 and 0051). */
export function createPageAccess({ helpPages }: Pick<Config, "helpPages">): PageAccessPolicy {
  if (helpPages === "off") return () => off;
  const elsewhere: PageAccess = helpPages === "on" ? { kind: "public" } : adminOnly;
  return ({ isAdmin }) => (isAdmin ? { kind: "all" } : elsewhere);
}
