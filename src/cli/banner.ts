import { ajaxEndpoint } from "../contract/ajax-endpoint.ts";
import { locationHelper } from "../contract/location-helper.ts";
import type { GazetteerFacts } from "../domain/location/gazetteer.ts";

/** What a person sees when the server has started: where to look, what to try, what is in it. */
export function renderBanner(url: string, publicUrl: string, facts: GazetteerFacts): string {
  const service = publicUrl + locationHelper.path;
  const listening = publicUrl === url ? url : `${url}, for clients at ${publicUrl}`;
  const countries = Object.keys(facts.postalCodesByCountry);
  const coverage = countries.length > 5 ? `${countries.length} countries` : countries.join(", ");
  const codes = facts.postalCodeCount.toLocaleString("en-US");
  return `
Web Forms Helper is listening at ${listening}

  Location helper   ${service}
  AJAX endpoint     ${publicUrl}${ajaxEndpoint.path}
  Try               curl '${service}/PostalCodeToCityState?postalCode=10001'
  Health            ${url}/healthz   ${url}/readyz
  Data              ${codes} postal codes (${coverage}), as of ${facts.dataDate}

Stop it with Ctrl+C.

`;
}
