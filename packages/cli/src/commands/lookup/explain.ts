import type { GazetteerSource, ListedPlace } from "@wfh/server/domain/location/gazetteer.ts";
import type { Step } from "@wfh/server/domain/location/lookup.ts";
import { toPrintable } from "@wfh/server/lib/printable.ts";
import { andMore, renderSections, type Section } from "../../io/report.ts";
import { showCountry, showState } from "../places/named-region.ts";
import type { CountryPlaces, Explanation, ExplanationDeps } from "./explanation.ts";

/** Places of one country that are shown; a code of GeoNames has up to 646. */
const placesMax = 5;

/** Countries of a source that are named in a line. */
const countriesMax = 10;

/** Why one place of a country comes before its others (decision 0032). */
const choiceAmongPlaces = `The preferred place of a country is an override, then a custom place, then imported data: the place
that most rows name as their district, then as their municipality, then the largest known place,
then the most frequent, then the first in the file (decision 0032).`;

/** The steps of decision 0005, with their numbers there. */
const steps: Readonly<Record<Step, { readonly number: number; readonly meaning: string }>> = {
  colon: { number: 2, meaning: "only the country before the colon is searched" },
  format: { number: 3, meaning: "only one country uses this format" },
  exact: { number: 4, meaning: "the first country by precedence that has the full key" },
  hint: { number: 5, meaning: "the letters in front of the code name the country" },
  shorten: { number: 6, meaning: "the longest part of the code that the data has, in its country" },
};

/** Explains the look-up of a code to people. */
export function renderExplanation(
  code: string,
  explanation: Explanation,
  { data, countryPrecedence }: ExplanationDeps,
): string {
  const { text, key, attempts, place, listedKey, countries } = explanation;
  const sections: readonly Section[] = [
    {
      facts: [
        ["Read as", text === undefined ? "not a postal code" : `${text}, key ${key}`],
        ["Result", place === undefined ? "not found" : showPlace(place)],
        ["Precedence", [...countryPrecedence, "then by alpha-2 code"].join(", ")],
        ["Data as of", data.facts.dataDate],
        ...data.facts.sources.map((source) => ["Source", showSource(source)] as const),
      ],
    },
    {
      title: "Steps of the look-up (decision 0005):",
      header: ["Step", "Key", "Country", "Outcome", "Meaning"],
      rows: attempts.map(({ step, key: tried, country, place: found }) => [
        `${steps[step].number} ${step}`,
        tried,
        country ?? "all",
        found === undefined ? "not found" : "found",
        steps[step].meaning,
      ]),
    },
    {
      title: `Countries that have ${listedKey}, by precedence:`,
      header: ["Rank", "Country", "Place", "From", "Role"],
      rows: countries.flatMap((one, index) => toRows(one, index + 1, place)),
    },
    countries.some(({ places }) => places.length > 1) ? choiceAmongPlaces : "",
  ];
  return `${toPrintable(code)}\n${renderSections(sections).replace(/^(?=.)/gm, "  ")}`;
}

function showPlace({ city, state }: Pick<ListedPlace, "city" | "state">): string {
  return `${city}, ${showState(state)}, ${showCountry(state.country)}`;
}

function showSource({ name, kind, importedAt, dataDate, countries }: GazetteerSource): string {
  const own = kind === "places" ? "custom places " : "";
  const when = importedAt === null ? "" : `, imported ${importedAt}`;
  const of = dataDate === null ? "" : `, data of ${dataDate}`;
  const where =
    countries.length > countriesMax ? `${countries.length} countries` : countries.join(" ");
  return `${own}${name} (${where})${of}${when}`;
}

/** The places of a country; then those left out, and what an override did. */
function toRows(
  one: CountryPlaces,
  rank: number,
  place: Explanation["place"],
): readonly (readonly string[])[] {
  const { country, places, override, overrideHolds, replaced } = one;
  const start = [String(rank), showCountry(country)];
  const rows = places.slice(0, placesMax).map((listed) => {
    return ["", "", `${listed.city}, ${showState(listed.state)}`, originOf(listed)];
  });
  const [preferred] = rows;
  if (preferred === undefined) rows.push([...start, "not found", "override"]);
  else {
    const roles = [
      ...(returns(one, place) ? ["result"] : []),
      // Only a choice among several needs to be explained.
      ...(places.length > 1 ? ["preferred"] : []),
    ];
    preferred.splice(0, 2, ...start);
    preferred.push(roles.join(", "));
  }
  if (places.length > placesMax) rows.push(["", "", andMore(places.length - placesMax)]);
  for (const was of replaced.slice(0, 1)) {
    rows.push(["", "", `${was.city}, ${showState(was.state)}`, originOf(was), "overridden"]);
  }
  if (override !== undefined && !overrideHolds) {
    const lost = `${override.place?.city}, ${override.place?.state}`;
    rows.push(["", "", lost, "override", "no effect: the data has no such state"]);
  }
  if (override !== undefined && override.note !== "") {
    rows.push(["", "", `Note: ${override.note}`, "override"]);
  }
  return rows;
}

function originOf({ isCustom, isOverride }: ListedPlace): "override" | "custom places" | "data" {
  if (isOverride) return "override";
  return isCustom ? "custom places" : "data";
}

/** True when the result is of this country. */
function returns({ country }: CountryPlaces, place: Explanation["place"]): boolean {
  return place?.state.country.code === country.code;
}
