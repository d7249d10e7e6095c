import type { HttpResponse } from "../../bindings/http.ts";
import type { ServiceContract } from "../../contract/operation.ts";
import { type PostalDataFacts, renderRootPage } from "../../metadata/pages/root-page.ts";
import type { IncomingRequest } from "../http/incoming-request.ts";
import type { Config } from "../settings/settings.ts";
import { readVersion } from "../version.ts";
import { pageAccessOf } from "./page-access.ts";
import { pageResponse } from "./page-response.ts";

/** What the root page shows. */
export interface RootPageOptions {
  readonly services: readonly ServiceContract[];
  /** Facts about the current postal data: an import may replace the data while the server runs. */
  facts(): Omit<PostalDataFacts, "ageDays">;
  /** Milliseconds since 1970 UTC. */
  now(): number;
  readonly config: Pick<Config, "helpPages">;
}

const dayMs = 86_400_000;

/** Creates the root page. */
export function createRootPage({
  services,
  facts,
  now,
  config,
}: RootPageOptions): (request: IncomingRequest) => HttpResponse {
  const version = readVersion();
  return (request) => {
    const access = pageAccessOf(request, config);
    if (access.kind === "none") return access.response;
    const current = facts();
    const ageMs = now() - Date.parse(current.dataDate);
    const data = { ...current, ageDays: Math.max(0, Math.floor(ageMs / dayMs)) };
    return pageResponse(renderRootPage({ version, services, data }));
  };
}
