import { readFileSync } from "node:fs";
import { operationCaching } from "../../bindings/binding.ts";
import type { HttpResponse } from "../../bindings/http.ts";
import type { RestApi } from "../../contract/operation.ts";
import { pageStyle } from "../../metadata/assets/bundle.ts";
import { renderDemoPage } from "../../metadata/pages/demo-page.ts";
import type { Page } from "../../metadata/pages/layout.ts";
import { renderNotFoundPage } from "../../metadata/pages/not-found-page.ts";
import {
  type PostalDataFacts,
  renderRootPage,
  type SearchResult,
} from "../../metadata/pages/root-page.ts";
import type { IncomingRequest } from "../http/incoming-request.ts";
import { cachedByETag, nothingServedAt, textResponse } from "../http/response.ts";
import type { Config } from "../settings/settings.ts";
import { readVersion } from "../version.ts";

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

/** Returns the pages that a caller may see by WFH_HELP_PAGES (decisions 0030 and 0051). */
export function pageAccessOf(
  { isAdmin }: Pick<IncomingRequest, "isAdmin">,
  { helpPages }: Pick<Config, "helpPages">,
): PageAccess {
  if (helpPages === "off") return off;
  if (isAdmin) return { kind: "all" };
  return helpPages === "on" ? { kind: "public" } : adminOnly;
}

/** Creates a page for those who may see pages. */
export function createPage(
  config: Pick<Config, "helpPages">,
  respond: (request: IncomingRequest, access: "all" | "public") => HttpResponse,
): (request: IncomingRequest) => HttpResponse {
  return (request) => {
    const access = pageAccessOf(request, config);
    return access.kind === "none" ? access.response : respond(request, access.kind);
  };
}

/** Returns a page whose CSP allows only its own style, scripts and origin (decision 0030). */
export function pageResponse(
  { html, styleSource, scriptSource }: Page,
  status = 200,
): HttpResponse {
  const rules = [
    "default-src 'none'",
    ...(scriptSource ? [`script-src ${scriptSource}`, "connect-src 'self'"] : []),
    `style-src ${styleSource}`,
    // The icon is embedded.
    "img-src data:",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    status,
    headers: ["Cache-Control", operationCaching, "Content-Type", "text/html; charset=utf-8"],
    body: html,
    policy: rules.join("; "),
  };
}

/** Collaborators of the root page. */
export interface RootPageDeps {
  /**
   * Finds the places of a postal code, anywhere or in a country.
   *
   * @param country code of a country that has postal codes.
   */
  findPlaces(postalCode: string, country?: string): SearchResult;
  /** Facts about the current postal data: an import may replace the data while the server runs. */
  facts(): Omit<PostalDataFacts, "ageDays">;
  /** Milliseconds since 1970 UTC. */
  now(): number;
  readonly config: Pick<Config, "helpPages">;
  readonly api: RestApi;
}

const dayMs = 86_400_000;

/** Longest postal code that is searched for, in UTF-16 units. */
const postalCodeMax = 64;

/** Creates the root page. */
export function createRootPage({ findPlaces, facts, now, config, api }: RootPageDeps) {
  const version = readVersion();
  return createPage(config, ({ head }) => {
    const current = facts();
    const ageMs = now() - Date.parse(current.dataDate);
    const data = { ...current, ageDays: Math.max(0, Math.floor(ageMs / dayMs)) };
    const asked = new URLSearchParams(head.query);
    const postalCode = asked.get("postalCode")?.trim().slice(0, postalCodeMax);
    const country = Object.keys(data.postalCodesByCountry).find(
      (one) => one === asked.get("country"),
    );
    const search = postalCode
      ? { postalCode, country, result: findPlaces(postalCode, country) }
      : undefined;
    return pageResponse(renderRootPage({ version, api, data, search }));
  });
}

/** Creates the page for unknown addresses. */
export function createNotFoundPage(
  config: Pick<Config, "helpPages">,
  api: RestApi,
): (request: IncomingRequest) => HttpResponse {
  return (request) =>
    pageAccessOf(request, config).kind === "none"
      ? textResponse(404, nothingServedAt(request.head.path))
      : pageResponse(renderNotFoundPage(request.head.path, api), 404);
}

/** Creates the demo of the scripts for pages. */
export function createDemoPage({ config, api }: Pick<RootPageDeps, "config" | "api">) {
  return createPage(config, (_request, access) =>
    pageResponse(renderDemoPage(access === "all", api)),
  );
}

/** Creates the response with a document of the package: a page, or its Markdown as text. */
export function createGuide(file: URL, config: Pick<Config, "helpPages">) {
  const text = readFileSync(file, "utf8");
  const guide = file.pathname.endsWith(".html")
    ? pageResponse({ html: text, styleSource: pageStyle.source, scriptSource: undefined })
    : { ...textResponse(200, ""), body: text };
  const respond = cachedByETag(guide);
  return createPage(config, ({ head }) => respond(head));
}
