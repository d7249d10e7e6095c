import type { HttpResponse } from "../../bindings/http.ts";
import { textResponse } from "../http/error-response.ts";
import type { IncomingRequest } from "../http/incoming-request.ts";
import type { Config } from "../settings/settings.ts";

/** Which pages a caller may see. */
export type PageAccess =
  /** All pages and test forms. */
  | { readonly kind: "all" }
  /** All pages, and the test forms of operations without credentials. */
  | { readonly kind: "public" }
  | { readonly kind: "none"; readonly response: HttpResponse };

const off: PageAccess = {
  kind: "none",
  response: textResponse(404, "This server shows no pages. The services have their WSDL at ?wsdl."),
};
const adminOnly: PageAccess = {
  kind: "none",
  response: textResponse(
    403,
    "This server shows its pages only at the admin listener (WFH_HELP_PAGES=admin, WFH_ADMIN_PORT). The services have their WSDL at ?wsdl.",
  ),
};

/** Which pages the caller of a request may see, by the setting WFH_HELP_PAGES (decisions 0030 and 0051). */
export function pageAccessOf(
  { isAdmin }: Pick<IncomingRequest, "isAdmin">,
  { helpPages }: Pick<Config, "helpPages">,
): PageAccess {
  if (helpPages === "off") return off;
  if (isAdmin) return { kind: "all" };
  return helpPages === "on" ? { kind: "public" } : adminOnly;
}
