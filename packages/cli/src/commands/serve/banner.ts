import { ajaxEndpoint } from "@wfh/server/contract/ajax-endpoint.ts";
import { locationHelper } from "@wfh/server/contract/location-helper.ts";
import { restApi } from "@wfh/server/contract/rest-api.ts";
import type { GazetteerFacts } from "@wfh/server/domain/location/gazetteer.ts";
import type { Listening } from "@wfh/server/server/http/listener.ts";
import type { Config } from "@wfh/server/server/settings/settings.ts";
import { checkAddress } from "@wfh/server/server/settings/web-checks.ts";
import { describeFacts } from "../../io/gazetteer.ts";

/** Text for the terminal of a server that has started: where to look, what to try, its data. */
export function renderBanner(
  { url, adminUrl }: Pick<Listening, "url" | "adminUrl">,
  config: Config,
  facts: GazetteerFacts,
): string {
  const publicUrl = config.baseUrl ?? url;
  const service = publicUrl + locationHelper.path;
  const listening = publicUrl === url ? url : `${url}, for clients at ${publicUrl}`;
  return `
Web Forms Helper is listening at ${listening}

${config.helpPages === "on" ? `  Open in a browser ${publicUrl}/\n  Demo form         ${publicUrl}/demo\n` : ""}  Location helper   ${service}
  AJAX endpoint     ${publicUrl}${ajaxEndpoint.path}
  REST API          ${publicUrl}${restApi.path}
  Log-in            ${checkAddress(config).text}
  Try               curl '${service}/PostalCodeToCityState?postalCode=10001'
  Health            ${url}/healthz   ${url}/readyz
${adminUrl === undefined ? "" : `  Admin             ${adminUrl}   ${adminUrl}/metrics\n`}  Data              ${describeFacts(facts)}

Stop it with Ctrl+C.

`;
}
