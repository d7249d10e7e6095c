import { ajaxEndpoint } from "../../../contract/ajax-endpoint.ts";
import { locationHelper } from "../../../contract/location-helper.ts";
import { restApi } from "../../../contract/rest-api.ts";
import type { GazetteerFacts } from "../../../domain/location/gazetteer.ts";
import type { Listening } from "../../../server/http/listener.ts";
import type { Config } from "../../../server/settings/settings.ts";
import { describeFacts } from "../../gazetteer.ts";

/** Text for a person on a terminal once the server has started: where to look, what to try, what is in it. */
export function renderBanner(
  { url, adminUrl }: Pick<Listening, "url" | "adminUrl">,
  config: Pick<Config, "baseUrl" | "helpPages" | "host" | "trustedProxies">,
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
  Log-in            ${describeLogIn(config)}
  Try               curl '${service}/PostalCodeToCityState?postalCode=10001'
  Health            ${url}/healthz   ${url}/readyz
${adminUrl === undefined ? "" : `  Admin             ${adminUrl}   ${adminUrl}/metrics\n`}  Data              ${describeFacts(facts)}

Stop it with Ctrl+C.

`;
}

/** What becomes of cookies, which browsers take over HTTPS only, except from their own machine. */
function describeLogIn({
  baseUrl,
  host,
  trustedProxies,
}: Pick<Config, "baseUrl" | "host" | "trustedProxies">): string {
  if (baseUrl?.startsWith("https:")) return "cookies over HTTPS";
  if (trustedProxies.length > 0) return "cookies over HTTPS, where the proxy says so";
  const isHere = /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/.test(host);
  return isHere
    ? "cookies from this machine only, for development; set WFH_BASE_URL=https://…"
    : "no cookies over plain HTTP; put HTTPS in front and set WFH_BASE_URL=https://…";
}
