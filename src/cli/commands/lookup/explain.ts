import type {
  CountryPlaces,
  Explanation,
  ExplanationDeps,
} from "../../../domain/location/explain.ts";
import type { GazetteerSource, ListedPlace } from "../../../domain/location/gazetteer.ts";
import type { Attempt, Step } from "../../../domain/location/lookup.ts";
import type { PlaceOverride } from "../../../domain/location/override.ts";
import { formatInstant } from "../../io/instant.ts";
import { type JsonValue, renderJsonLine, toPrintable } from "../../io/printable.ts";
import { renderTable } from "../../io/table.ts";
import { showCountry, showState } from "../places/target.ts";

/** Places of one country that are shown; a code of GeoNames has up to 646. JSON has all. */
const placesMax = 5;

/** Countries of a source that are named in a line; JSON has all. */
const countriesMax = 10;

/** Why one place of a country goes before its others: what the data was made by, decision 0032. */
const choiceAmongPlaces = `
  The preferred place of a country is an override, else a custom place, else imported data:
  the one that most rows name as their district, else as their municipality, else the largest that is
  known, else the most frequent, else the first of the file (decision 0032).
`;

/** The steps of decision 0005, with their numbers there. */
const steps: Readonly<Record<Step, { readonly number: number; readonly meaning: string }>> = {
  colon: { number: 2, meaning: "a colon names the only country that is asked" },
  format: { number: 3, meaning: "only one country writes its codes that way" },
  exact: { number: 4, meaning: "the first country by precedence that has the whole key" },
  hint: { number: 5, meaning: "the letters in front name the country" },
  shorten: { number: 6, meaning: "the part of the code that the data has, in its own country" },
};

/** The way to the place of a code, for people. */
export function renderExplanation(
  code: string,
  explanation: Explanation,
  { data, countryPrecedence }: ExplanationDeps,
): string {
  const { text, key, attempts, place } = explanation;
  const facts: readonly (readonly [string, string])[] = [
    ["Read as", text === undefined ? "no postal code" : `${text}, key ${key}`],
    ["Answer", place === undefined ? "not found" : showPlace(place)],
    ["Precedence", [...countryPrecedence, "then by alpha-2 code"].join(", ")],
    ["Data as of", data.facts.dataDate],
    ...data.facts.sources.map((source): [string, string] => ["Source", showSource(source)]),
  ];
  const lines = facts.map(([name, value]) => `  ${name.padEnd(12)}${toPrintable(value)}\n`);
  return `${toPrintable(code)}\n${lines.join("")}${renderAttempts(attempts)}${renderCountries(explanation)}`;
}

function renderAttempts(attempts: readonly Attempt[]): string {
  if (attempts.length === 0) return "";
  const rows = attempts.map(({ step, key, country, place }) => [
    `${steps[step].number} ${step}`,
    key,
    country ?? "all",
    place === undefined ? "not there" : "found",
    steps[step].meaning,
  ]);
  const heading = ["Step", "Key", "Country", "Outcome", "What is asked"];
  return indented("The way, by the steps of decision 0005:", [heading, ...rows]);
}

function indented(title: string, rows: readonly (readonly string[])[]): string {
  const table = renderTable(rows.map((cells) => cells.map(toPrintable)));
  return `\n  ${title}\n\n${table.replace(/^(?=.)/gm, "  ")}`;
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

function renderCountries({ listedKey, countries, place }: Explanation): string {
  if (listedKey === undefined) return "";
  const rows = countries.flatMap((one, index) => [
    ...one.places
      .slice(0, placesMax)
      .map((listed, i) => [
        i === 0 ? String(index + 1) : "",
        i === 0 ? showCountry(one.country) : "",
        `${listed.city}, ${showState(listed.state)}`,
        originOf(listed),
        [...(i === 0 && answers(one, place) ? ["answer"] : []), ...markOf(i, one)].join(", "),
      ]),
    ...restOf(one, index),
  ]);
  const heading = ["Rank", "Country", "Place", "From", "Role"];
  const table = indented(`Countries that have ${listedKey}, by precedence:`, [heading, ...rows]);
  return countries.some(({ places }) => places.length > 1) ? table + choiceAmongPlaces : table;
}

/** Only a choice among several needs to be told. */
function markOf(i: number, { places }: CountryPlaces): readonly string[] {
  return i === 0 && places.length > 1 ? ["preferred"] : [];
}

/** What stands below the places of a country: those left out, and what an override has done. */
function restOf(one: CountryPlaces, index: number): readonly (readonly string[])[] {
  const { country, places, override, overrideHolds, replaced } = one;
  const rows: (readonly string[])[] = [];
  if (places.length > placesMax) rows.push(["", "", `and ${places.length - placesMax} more`, ""]);
  if (places.length === 0)
    rows.push([`${index + 1}`, showCountry(country), "not found", "override"]);
  for (const was of replaced.slice(0, 1)) {
    rows.push(["", "", `${was.city}, ${showState(was.state)}`, originOf(was), "overridden"]);
  }
  if (override !== undefined && !overrideHolds) {
    const lost = `${override.place?.city}, ${override.place?.state}`;
    rows.push(["", "", lost, "override", "counts for nothing: no such state"]);
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

function answers({ country }: CountryPlaces, place: Explanation["place"]): boolean {
  return place?.state.country.code === country.code;
}

/** The same as one line of JSON. */
export function renderExplanationJson(
  code: string,
  explanation: Explanation,
  { data, countryPrecedence }: ExplanationDeps,
): string {
  const { text, key, attempts, place, listedKey, countries } = explanation;
  const { dataDate, sources } = data.facts;
  return renderJsonLine({
    postalCode: code,
    readAs: text ?? null,
    key,
    attempts: attempts.map((attempt) => ({
      step: attempt.step,
      stepNumber: steps[attempt.step].number,
      key: attempt.key,
      countryCode: attempt.country ?? null,
      found: attempt.place !== undefined,
    })),
    place: place === undefined ? null : placeJson(place),
    listedKey: listedKey ?? null,
    countries: countries.map((one) => ({
      countryCode: one.country.code,
      answers: answers(one, place),
      places: one.places.map(listedJson),
      override: one.override === undefined ? null : overrideJson(one.override, one.overrideHolds),
      replaced: one.replaced.map(listedJson),
    })),
    countryPrecedence,
    dataDate,
    sources: sources.map((source) => ({ ...source })),
  });
}

function placeJson({ city, state }: Pick<ListedPlace, "city" | "state">) {
  return {
    city,
    stateId: state.id,
    stateAbbreviation: state.abbreviation,
    stateName: state.name,
    countryId: state.country.id,
    countryCode: state.country.code,
  };
}

function listedJson(listed: ListedPlace, index: number): JsonValue {
  return { ...placeJson(listed), preferred: index === 0, from: originOf(listed) };
}

function overrideJson({ place, note, changedAtMs }: PlaceOverride, counts: boolean): JsonValue {
  return {
    city: place?.city ?? null,
    state: place?.state ?? null,
    note,
    changedAt: formatInstant(changedAtMs),
    counts,
  };
}
