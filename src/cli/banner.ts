import { locationHelper } from "../contract/location-helper.ts";
import type { GazetteerFacts } from "../domain/location/gazetteer.ts";

/** What a person sees when the server has started: where to look, what to try, what is in it. */
export function renderBanner(url: string, facts: GazetteerFacts): string {
  const service = url + locationHelper.path;
  const countries = Object.keys(facts.postalCodesByCountry);
  const coverage = countries.length > 5 ? `${countries.length} countries` : countries.join(", ");
  const codes = facts.postalCodeCount.toLocaleString("en-US");
  return `
Web Forms Helper is listening at ${url}

  Location helper   ${service}
  Try               curl '${service}/PostalCodeToCityState?postalCode=10001'
  Health            ${url}/healthz   ${url}/readyz
  Data              ${codes} postal codes (${coverage}), as of ${facts.dataDate}

Stop it with Ctrl+C.

`;
}
