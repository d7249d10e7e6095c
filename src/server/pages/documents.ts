import { type CallTarget, type NamedService, operationCaching } from "../../bindings/binding.ts";
import type { HttpResponse } from "../../bindings/http.ts";
import { renderScriptProxy } from "../../metadata/proxy/script-proxy.ts";
import type { IncomingRequest, ServiceRoute } from "../http/app.ts";
import { textResponse } from "../http/router.ts";
import type { Config } from "../settings/settings.ts";
import { createAddressFinder } from "./document-address.ts";
import { keepRecent } from "./document-cache.ts";
import { type RenderDocument, readDocumentQuery } from "./document-query.ts";
import { createHelpPages } from "./help-pages.ts";
import { createPageAccess } from "./page-access.ts";

/** Most addresses that each document is kept for; a server has one or two, and callers can invent any number. */
const addressesMax = 16;

/**
 * The documents of a service: its pages and what its query asks for at its own address (decisions 0028 and 0030), and the
 * script proxies below it at `/js` and `/jsdebug`.
 */
export function createServiceDocuments(
  service: NamedService,
  config: Pick<Config, "baseUrl" | "helpPages">,
): Pick<ServiceRoute, "hasDocument" | "renderDocument"> {
  const { contract } = service;
  const { baseUrl } = config;
  const addressOf = createServiceAddress(service, baseUrl);
  const accessOf = createPageAccess(config);
  const page = createHelpPages(service);
  const describe = describedDocuments(service);
  const scripts = scriptDocuments(service, baseUrl);
  const scriptAt = (target: CallTarget) =>
    target.at === "service" ? undefined : scripts.get(target.operation.toLowerCase());
  return {
    hasDocument: (target) => target.at === "service" || scriptAt(target) !== undefined,
    renderDocument: (incoming, target) => {
      const script = scriptAt(target);
      if (script !== undefined) return script;
      const asked = readDocumentQuery(contract.stack, incoming.head.query);
      if (asked !== undefined && "missing" in asked) return textResponse(404, asked.missing);
      if (asked !== undefined && "render" in asked) {
        const address = addressOf(incoming);
        return address === undefined ? noHost : describe(asked.render, address);
      }
      const access = accessOf(incoming);
      if (access.kind === "none") return access.answer;
      const address = addressOf(incoming);
      if (address === undefined) return noHost;
      return page({ address, access: access.kind, operation: asked?.operation });
    },
  };
}

const noHost = textResponse(
  400,
  "The request has no valid Host, and the document tells where it is.",
);

/** Makes the finder of the URL of a service as the caller of a request reaches it; undefined where its Host is none. */
function createServiceAddress({ contract }: NamedService, baseUrl: string | undefined) {
  const serverOf = createAddressFinder(baseUrl);
  return (incoming: IncomingRequest): string | undefined => {
    const server = serverOf(incoming);
    return server === undefined ? undefined : server + contract.path;
  };
}

/** Documents that tell where the service is, made once for each address. */
function describedDocuments(
  service: NamedService,
): (render: RenderDocument, address: string) => HttpResponse {
  const made = new Map<RenderDocument, (address: string) => HttpResponse>();
  return (render, address) => {
    let make = made.get(render);
    if (make === undefined) {
      make = keepRecent(addressesMax, (known) =>
        document("text/xml", render({ ...service, address: known })),
      );
      made.set(render, make);
    }
    return make(address);
  };
}

/** Script proxies by what stands behind the slash. Without a base address they call the origin of the page. */
function scriptDocuments(
  { contract, namespace }: NamedService,
  baseUrl: string | undefined,
): ReadonlyMap<string, HttpResponse> {
  const path = (baseUrl ?? "") + contract.path;
  const script = (isDebug: boolean) =>
    document("application/x-javascript", renderScriptProxy(contract, { namespace, path }, isDebug));
  return new Map([
    ["js", script(false)],
    ["jsdebug", script(true)],
  ]);
}

function document(mediaType: string, body: string): HttpResponse {
  const type = `${mediaType}; charset=utf-8`;
  return { status: 200, headers: ["Cache-Control", operationCaching, "Content-Type", type], body };
}
