import type { GazetteerFacts } from "../../../domain/location/gazetteer.ts";

/** What is in a gazetteer, in a few words: `"42,745 postal codes (US), as of 2026-03-11"`. */
export function describeFacts({
  dataDate,
  postalCodesByCountry,
}: Pick<GazetteerFacts, "dataDate" | "postalCodesByCountry">): string {
  const countries = Object.keys(postalCodesByCountry);
  const coverage = countries.length > 5 ? `${countries.length} countries` : countries.join(", ");
  const codes = Object.values(postalCodesByCountry).reduce((sum, count) => sum + count, 0);
  const covered = coverage === "" ? "" : ` (${coverage})`;
  return `${codes.toLocaleString("en-US")} postal codes${covered}, as of ${dataDate}`;
}
