import { type CallTarget, type NamedService, operationCaching } from "../../bindings/binding.ts";
import { type HttpHead, type HttpResponse, headerOf, openToAll } from "../../bindings/http.ts";
import type { RestApi, Stack } from "../../contract/operation.ts";
import type { ProblemName } from "../../contract/problems.ts";
import { BoundedCache } from "../../lib/bounded-cache.ts";
import {
  type Described,
  type DescribedService,
  isRestApi,
  operationsOf,
} from "../../metadata/described-service.ts";
import { describeRestApi } from "../../metadata/openapi/document.ts";
import { renderHelpPage } from "../../metadata/pages/help-page.ts";
import { renderOperationPage } from "../../metadata/pages/operation-page.ts";
import { renderProblemPage, renderRestPage } from "../../metadata/pages/rest-page.ts";
import { renderScriptProxy } from "../../metadata/proxy/script-proxy.ts";
import { renderDiscovery, renderSchemaDocument, renderWsdl } from "../../metadata/wsdl.ts";
import type { IncomingRequest } from "../http/incoming-request.ts";
import { cachedByETag, textResponse } from "../http/response.ts";
import type { TrustedProxies } from "../http/trusted-proxies.ts";
import type { Config } from "../settings/settings.ts";
import { readVersion } from "../version.ts";
import { createPage, type PageAccess, pageAccessOf, pageResponse } from "./html-pages.ts";

/**
 * Most cached documents and pages of a service, each for one address of the server: a server has
 * one or two addresses and ten documents, but callers can make up more. A page has up to 60 kB.
 */
const cachedMax = 64;

/**
 * Creates the renderer of a service's documents: help pages and what its query asks for at its own
 * address (decisions 0028 and 0030), and the script proxies below it at `/js` and `/jsdebug`.
 */
export function createDocumentRenderer(
  service: Omit<DescribedService, "address">,
  config: Pick<Config, "baseUrl" | "helpPages">,
  proxies: TrustedProxies,
): (request: IncomingRequest, target: CallTarget) => HttpResponse {
  const { contract } = service;
  const cache = new BoundedCache<string, HttpResponse>(cachedMax);
  const scripts = renderScripts(service, config.baseUrl);
  const scriptAt = (target: CallTarget) =>
    target.at === "service" ? undefined : scripts.get(target.operation.toLowerCase());
  return (request, target) => {
    const script = scriptAt(target);
    if (script !== undefined) return script;
    const asked = readDocumentQuery(documents[contract.stack], request.head.query);
    if (asked.kind === "unknown") return textResponse(404, asked.message);
    const access = pageAccessOf(request, config);
    if (asked.kind === "page" && access.kind === "none") return access.response;
    const server = serverAddress(request, config, proxies);
    if (server === undefined) return noHost;
    const described = { ...service, address: server + contract.path };
    if (asked.kind === "document") {
      return cache.getOrCreate(`${asked.name} ${server}`, () =>
        document("text/xml", asked.render(described)),
      );
    }
    return renderPage(described, { ...asked, access: access.kind }, cache);
  };
}

/** Refuses a request for a document that needs an address and has none. */
const noHost = textResponse(
  400,
  "The request has no Host that an address can have, which the document needs to show its own.",
);

/** Creates the documents and pages of the REST API. */
export function createApiDocuments(
  contract: RestApi,
  config: Pick<Config, "baseUrl" | "helpPages">,
  proxies: TrustedProxies,
) {
  const cache = new BoundedCache<string, HttpResponse>(cachedMax);
  const openApis = new BoundedCache<string, (head: HttpHead) => HttpResponse>(cachedMax);
  const version = readVersion();
  return {
    /** The page of an operation with `?op=`, else of all. */
    page: createPage(config, (request, access) => {
      const server = serverAddress(request, config, proxies);
      if (server === undefined) return noHost;
      const asked = readDocumentQuery(new Map(), request.head.query);
      const operation = asked.kind === "page" ? asked.operation : undefined;
      const described = { contract, address: server + contract.path };
      return renderPage(described, { operation, access }, cache);
    }),
    /** The OpenAPI document, for pages of every origin too (decision 0058). */
    openApi: (request: IncomingRequest): HttpResponse => {
      const server = serverAddress(request, config, proxies);
      if (server === undefined) return noHost;
      const respond = openApis.getOrCreate(server, () => {
        const document = describeRestApi(contract, server, version);
        const body = `${JSON.stringify(document, null, 2)}\n`;
        const type = ["Content-Type", "application/json"];
        const headers = ["Cache-Control", operationCaching, ...openToAll, ...type];
        return cachedByETag({ status: 200, headers, body });
      });
      return respond(request.head);
    },
    problem: (name: ProblemName) => pageResponse(renderProblemPage(contract, name)),
  };
}

function renderOverview(service: Described, unknown?: string): HttpResponse {
  return pageResponse(
    isRestApi(service) ? renderRestPage(service, unknown) : renderHelpPage(service, unknown),
    unknown === undefined ? 200 : 404,
  );
}

function renderPage(
  service: Described,
  asked: { readonly operation: string | undefined; readonly access: PageAccess["kind"] },
  cache: BoundedCache<string, HttpResponse>,
): HttpResponse {
  const { address } = service;
  if (asked.operation === undefined) {
    return cache.getOrCreate(`page ${address}`, () => renderOverview(service));
  }
  const asksFor = asked.operation.toLowerCase();
  const found = operationsOf(service).find(([name]) => name.toLowerCase() === asksFor);
  // Callers can make up any number of unknown names, so these pages are not cached.
  if (found === undefined) return renderOverview(service, asked.operation);
  const [name, { credentials = false }] = found;
  const hasForm = asked.access === "all" || !credentials;
  return cache.getOrCreate(`page ${name} ${hasForm} ${address}`, () =>
    pageResponse(renderOperationPage(service, name, hasForm)),
  );
}

/** Renders script proxies, which call the origin of their page unless WFH_BASE_URL is set. */
function renderScripts(
  { contract, ...names }: NamedService,
  baseUrl = "",
): ReadonlyMap<string, HttpResponse> {
  const path = baseUrl + contract.path;
  const script = (isDebug: boolean) =>
    document("application/x-javascript", renderScriptProxy(contract, { ...names, path }, isDebug));
  return new Map([
    ["js", script(false)],
    ["jsdebug", script(true)],
  ]);
}

function document(mediaType: string, body: string): HttpResponse {
  const type = `${mediaType}; charset=utf-8`;
  return { status: 200, headers: ["Cache-Control", operationCaching, "Content-Type", type], body };
}

/**
 * The address of the server as the caller of a request reaches it, without a final slash:
 * WFH_BASE_URL, else the scheme and the Host of the request. Undefined without a Host, and for one
 * that no URL can have: to a URL, a name whose last label is a number is an IPv4 address.
 */
export function serverAddress(
  request: Pick<IncomingRequest, "head" | "peer">,
  { baseUrl }: Pick<Config, "baseUrl">,
  proxies: Pick<TrustedProxies, "schemeOf">,
): string | undefined {
  if (baseUrl !== undefined) return baseUrl;
  // A port may be empty (RFC 3986 §3.2.3).
  const host = headerOf(request.head, "host")?.toLowerCase().replace(/:$/, "") ?? "";
  const address = `${proxies.schemeOf(request)}://${host}`;
  return URL.canParse(address) ? address : undefined;
}

/** Renders a document of a service as its caller reaches it. */
type RenderDocument = (service: DescribedService) => string;

/** Document or page that the query of a GET asks for. */
type DocumentRequest =
  | { readonly kind: "document"; readonly name: string; readonly render: RenderDocument }
  /** An unknown document, with the message for it. */
  | { readonly kind: "unknown"; readonly message: string }
  /** A help page: of an operation, by its name as sent, or of the service. */
  | { readonly kind: "page"; readonly operation: string | undefined };

/** The query parameter for the page of an operation. */
const operationParameter = "op";

/** Documents of one query parameter. */
interface ParameterDocuments {
  readonly byValue: Readonly<Record<string, RenderDocument>>;
  /** Message for any other value, of the reference stack (cases `doc-schema`, `doc-wsdl-eq`). */
  readonly unknown: string;
}

const noSchema = "Schema not found.";
const noDiscovery = "Discovery document not found.";

const discovery = { byValue: { "": renderDiscovery }, unknown: noDiscovery };
const wsdl = { byValue: { "": renderWsdl }, unknown: "XML Web service description was not found." };

/** The documents of each stack by query parameter, in small letters. */
const documents: Readonly<Record<Stack, ReadonlyMap<string, ParameterDocuments>>> = {
  asmx: new Map<string, ParameterDocuments>([
    ["wsdl", wsdl],
    ["schema", { byValue: {}, unknown: noSchema }],
    ["disco", discovery],
  ]),
  wcf: new Map<string, ParameterDocuments>([
    ["wsdl", wsdl],
    ["singlewsdl", wsdl],
    ["xsd", { byValue: { xsd0: renderSchemaDocument }, unknown: noSchema }],
    ["disco", discovery],
  ]),
};

/**
 * Reads which document or page a query asks for. Names and values match in any case, `?wsdl=` is
 * `?wsdl`, an empty `?op=` is ignored, and the first known parameter decides.
 */
function readDocumentQuery(
  known: ReadonlyMap<string, ParameterDocuments>,
  query: string,
): DocumentRequest {
  for (const [name, value] of new URLSearchParams(query)) {
    const parameter = name.toLowerCase();
    if (parameter === operationParameter && value !== "") return { kind: "page", operation: value };
    const found = known.get(parameter);
    if (found === undefined) continue;
    const key = value.toLowerCase();
    const render = Object.hasOwn(found.byValue, key) ? found.byValue[key] : undefined;
    if (render !== undefined) return { kind: "document", name: `${parameter}=${key}`, render };
    if (value !== "") return { kind: "unknown", message: found.unknown };
  }
  return { kind: "page", operation: undefined };
}
