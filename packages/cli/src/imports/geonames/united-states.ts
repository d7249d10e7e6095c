import { readFileSync } from "node:fs";
import { programFolder } from "@wfh/server/lib/program-folder.ts";

/** Files of GeoNames that the Postal Service of the United States sees as states; decision 0003. */
export const usTerritories: readonly string[] = ["AS", "FM", "GU", "MH", "MP", "PR", "PW", "VI"];

/** Country (alpha-2) of a GeoNames file, by the country in its first column. */
export function toImportedCountry(code: string): string {
  return usTerritories.includes(code) ? "US" : code;
}

/** Regions of military mail, where APO, FPO or DPO stands for the city. */
export const militaryStates: readonly string[] = ["AA", "AE", "AP"];

/** Military mail by the first three digits of ZIP codes; all of them its own. */
const militaryAreas: readonly { readonly pattern: RegExp; readonly state: string }[] = [
  { pattern: /^340/, state: "AA" },
  { pattern: /^09/, state: "AE" },
  { pattern: /^96[2-6]/, state: "AP" },
];

/** Region of military mail that a ZIP code is of; undefined for any other code. */
export function findMilitaryState(zip: string): string | undefined {
  return militaryAreas.find(({ pattern }) => pattern.test(zip))?.state;
}

/** Turns `"APO AE"` and `"Apo"` into `"APO"`: the region is the state. Else undefined. */
export function toMilitaryCity(place: string): string | undefined {
  return /^(?:APO|FPO|DPO)\b/.exec(place.toUpperCase())?.[0];
}

/** A mechanical correction of how a city of the US is written; none changes which city it is. */
interface NameRule {
  readonly pattern: RegExp;
  replace(match: string, group: string): string;
}

const words: Readonly<Record<string, string>> = {
  E: "East",
  Ft: "Fort",
  Hts: "Heights",
  Jct: "Junction",
  Mt: "Mount",
  N: "North",
  Natl: "National",
  Pk: "Park",
  S: "South",
  Spgs: "Springs",
  Sta: "Station",
  Vly: "Valley",
  W: "West",
};

/** Mends, in this order, names that lower-casing spoils: sources write capitals ("Mckeesport"). */
const nameRules: readonly NameRule[] = [
  {
    // Initials in capitals (`Dover Afb`: `Dover AFB`).
    pattern: /\b(?:Afb|Cbc|Dhs|Fe(?= Warren)|Jber|Jbphh|Jbsa|Jrb|Mcbh|Mdl|Usaf)\b/g,
    replace: (match) => match.toUpperCase(),
  },
  {
    // Mc is no word of its own (`Mckeesport`, `Mc Keesport`: `McKeesport`).
    pattern: /\bMc ?([A-Za-z])/g,
    replace: (_, letter) => `Mc${letter.toUpperCase()}`,
  },
  {
    // O and D with an apostrophe (`O Fallon`: `O'Fallon`).
    // Land O Lakes is no name of a person: the apostrophe would come after the O, and a blank.
    pattern: /\b([OD]) (?=[A-Z])(?!Lakes)/g,
    replace: (_, letter) => `${letter}'`,
  },
  {
    // S after an apostrophe (`Lincoln'S`: `Lincoln's`).
    pattern: /'S\b/g,
    replace: () => "'s",
  },
  {
    // St with a full stop (`St Thomas`: `St. Thomas`).
    pattern: /^St(?= [A-Z])/g,
    replace: (match) => `${match}.`,
  },
  {
    // Direction written out (`N Kingstown`: `North Kingstown`).
    pattern: /^([NSEW])(?= [A-Z])/g,
    replace: (match) => words[match] ?? match,
  },
  {
    // Abbreviation written out (`Apache Jct`: `Apache Junction`).
    pattern: /\b(?:Ft|Hts|Jct|Mt|Natl|Pk|Spgs|Sta|Vly)\b/g,
    replace: (match) => words[match] ?? match,
  },
];

/** Corrects how a city of the US is written. */
export function correctCityName(city: string): string {
  return nameRules.reduce((name, { pattern, replace }) => name.replace(pattern, replace), city);
}

/**
 * City of single ZIP codes where GeoNames has a whole territory instead; `zipcodes` and the postal
 * file of GeoNames for the Marshall Islands agree on it.
 */
export const wrongCities: Readonly<Record<string, string>> = { "96960": "Majuro" };

/** ZIP codes for which the built-in data has another city than GeoNames; written by its build. */
export const decidedCitiesFile = new URL("data/us-decided-cities.tsv", programFolder);

/**
 * Opens the decisions between sources that the built-in data was made with (decision 0012). An
 * import applies them as well, or the next one would undo them: the city of a ZIP code and of
 * GeoNames, for which another was chosen, gives that one. Any other city stays.
 */
export function openDecidedCities(): (zip: string, city: string) => string {
  const lines = readFileSync(decidedCitiesFile, "utf8").split("\n");
  const decided = new Map(
    lines.map((line) => {
      const [zip = "", geoNames = "", city = ""] = line.split("\t");
      return [`${zip} ${geoNames}`, city];
    }),
  );
  return (zip, city) => decided.get(`${zip} ${city}`) ?? city;
}
