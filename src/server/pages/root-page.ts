import type { HttpResponse } from "../../bindings/http.ts";
import type { ServiceContract } from "../../contract/operation.ts";
import { type PostalDataFacts, renderRootPage } from "../../metadata/pages/root-page.ts";
import type { IncomingRequest } from "../http/app.ts";
import type { Config } from "../settings/settings.ts";
import { readVersion } from "../version.ts";
import { createPageAccess } from "./page-access.ts";
import { pageResponse } from "./page-response.ts";

/** What the root page is made of. */
export interface RootPageOptions {
  readonly services: readonly ServiceContract[];
  /** What the postal data says of itself now: an import may put other data in its place while the server runs. */
  facts(): Omit<PostalDataFacts, "ageDays">;
  /** Milliseconds since 1970 UTC. */
  now(): number;
  /** Who may see it. */
  readonly config: Pick<Config, "helpPages">;
}

const dayMs = 86_400_000;

/** The root page by its path; with WFH_HELP_PAGES=off nothing is there. */
export function rootPages({
  services,
  facts,
  now,
  config,
}: RootPageOptions): ReadonlyMap<string, (incoming: IncomingRequest) => HttpResponse> {
  if (config.helpPages === "off") return new Map();
  const version = readVersion();
  const accessOf = createPageAccess(config);
  return new Map([
    [
      "/",
      (incoming) => {
        const seen = accessOf(incoming);
        if (seen.kind === "none") return seen.answer;
        const told = facts();
        const ageMs = now() - Date.parse(told.dataDate);
        const data = { ...told, ageDays: Math.max(0, Math.floor(ageMs / dayMs)) };
        return pageResponse(renderRootPage({ version, services, data }));
      },
    ],
  ]);
}
