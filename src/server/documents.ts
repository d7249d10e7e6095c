import {
  type CallTarget,
  errorCaching,
  type NamedService,
  operationCaching,
} from "../bindings/binding.ts";
import type { HttpResponse } from "../bindings/http.ts";
import type { ServiceContract } from "../contract/operation.ts";
import { renderHelpPage } from "../metadata/help-page.ts";
import { renderScriptProxy } from "../metadata/script-proxy.ts";
import { textAnswer } from "./choose-binding.ts";
import { createAddressFinder } from "./document-address.ts";
import { keepRecent } from "./document-cache.ts";
import { type RenderDocument, readDocumentQuery } from "./document-query.ts";
import type { Incoming, ServedService } from "./site.ts";

/** Most addresses that each document is kept for; a server has one or two, and callers can invent any number. */
const addressesMax = 16;

/**
 * The documents of a service: the help page and what its query asks for at its own address (decision 0028), and the
 * script proxies below it at `/js` and `/jsdebug`.
 *
 * @param baseUrl public address of the server, without a slash at its end; without one it is told by each request.
 */
export function serviceDocuments(
  service: NamedService,
  baseUrl: string | undefined,
): Pick<ServedService, "hasDocument" | "document"> {
  const { contract } = service;
  const help = helpDocument(contract);
  const scripts = scriptDocuments(service, baseUrl);
  const describe = describedDocuments(service, createAddressFinder(baseUrl));
  const scriptAt = (target: CallTarget) =>
    target.at === "service" ? undefined : scripts.get(target.operation.toLowerCase());
  return {
    hasDocument: (target) => target.at === "service" || scriptAt(target) !== undefined,
    document: (incoming, target) => {
      const script = scriptAt(target);
      if (script !== undefined) return script;
      const asked = readDocumentQuery(contract.stack, incoming.head.query);
      if (asked === undefined) return help;
      return "missing" in asked ? textAnswer(404, asked.missing) : describe(asked.render, incoming);
    },
  };
}

/** Documents that tell where the service is, made once for each address. */
function describedDocuments(
  service: NamedService,
  addressOf: (incoming: Incoming) => string | undefined,
): (render: RenderDocument, incoming: Incoming) => HttpResponse {
  const made = new Map<RenderDocument, (address: string) => HttpResponse>();
  return (render, incoming) => {
    const server = addressOf(incoming);
    if (server === undefined) {
      return textAnswer(400, "The request has no valid Host, and the document tells where it is.");
    }
    let make = made.get(render);
    if (make === undefined) {
      make = keepRecent(addressesMax, (address) =>
        document("text/xml", render({ ...service, address })),
      );
      made.set(render, make);
    }
    return make(server + service.contract.path);
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

function helpDocument(contract: ServiceContract): HttpResponse {
  return {
    status: 200,
    headers: ["Cache-Control", errorCaching, "Content-Type", "text/html; charset=utf-8"],
    body: renderHelpPage(contract),
    policy: "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  };
}
