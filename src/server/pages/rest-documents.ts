import { createHash } from "node:crypto";
import { operationCaching } from "../../bindings/binding.ts";
import { type HttpResponse, hasETag, openToAll } from "../../bindings/http.ts";
import type { RestApi } from "../../contract/operation.ts";
import type { ProblemName } from "../../contract/problems.ts";
import { BoundedCache } from "../../lib/bounded-cache.ts";
import { describeRestApi } from "../../metadata/openapi/document.ts";
import { renderProblemPage } from "../../metadata/openapi/problem-page.ts";
import type { IncomingRequest } from "../http/incoming-request.ts";
import type { TrustedProxies } from "../http/trusted-proxies.ts";
import type { Config } from "../settings/settings.ts";
import { readVersion } from "../version.ts";
import { cachedMax, noHost, serverAddress } from "./documents.ts";
import { pageResponse } from "./html-pages.ts";

/** Creates the documents of a REST API (decision 0058). */
export function createRestDocuments(
  api: RestApi,
  config: Pick<Config, "baseUrl">,
  proxies: TrustedProxies,
) {
  const cache = new BoundedCache<string, HttpResponse & { readonly etag: string }>(cachedMax);
  const version = readVersion();
  return {
    /** Its OpenAPI document, for pages of every origin too. */
    openApi: (request: IncomingRequest): HttpResponse => {
      const server = serverAddress(request, config, proxies);
      if (server === undefined) return noHost;
      const { etag, ...response } = cache.getOrCreate(server, () => {
        const body = `${JSON.stringify(describeRestApi(api, server, version), null, 2)}\n`;
        const digest = createHash("sha256").update(body).digest("base64url");
        const tag = `"${digest.slice(0, 16)}"`;
        const headers = ["Cache-Control", operationCaching, "ETag", tag, ...openToAll];
        return { status: 200, headers: [...headers, ...contentType], body, etag: tag };
      });
      return hasETag(request.head, etag)
        ? { status: 304, headers: response.headers.slice(0, -contentType.length), body: "" }
        : response;
    },
    problem: (name: ProblemName) => pageResponse(renderProblemPage(api.path, name)),
  };
}

const contentType = ["Content-Type", "application/json"];
