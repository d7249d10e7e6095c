import {
  correctCityName,
  findMilitaryState,
  toMilitaryCity,
  usTerritories,
  wrongCities,
} from "./united-states.ts";

/** A row as text, for the countries whose rows need a closer look. */
export interface RuleRow {
  readonly key: string;
  readonly place: string;
  readonly admin1Code: string;
  readonly admin1Name: string;
  readonly admin2Name: string;
}

/** Special rules for the rows of a country. */
export interface CountryRule {
  /** City of a row, where it is not just the place. */
  readonly toCity?: (row: RuleRow) => string;
  /** Suffix of the ISO 3166-2 code of its state, where the region does not decide. */
  readonly findState?: (row: RuleRow) => string | undefined;
  /** County of a row, where the file has none as the name of the second level. */
  readonly findCounty?: (row: RuleRow) => string;
  /** True when the row only counts where its postal code has no other. */
  readonly isFallback?: (row: RuleRow) => boolean;
}

/** Shortest name in capitals that is not an abbreviation, in characters. */
const titleCaseMin = 4;

/** Lower-cases names in capitals: `"San Jose (Teculutan)"`, but no short ones: abbreviations. */
function toTitleCase(name: string): string {
  if (name.length < titleCaseMin || name !== name.toUpperCase()) return name;
  const small = name.toLowerCase();
  return small.replace(/(?<![\p{L}\p{N}'’])\p{L}/gu, (letter) => letter.toUpperCase());
}

/** Argentina writes capitals only, but for the number sign: `"MUNRO ESTAFETA No.2"`. */
function toArgentineCity({ place }: RuleRow): string {
  return toTitleCase(place.replace(/\bNo\./, "NO.")).replace(/\bNo\./, "No.");
}

/** `"Wien, Innere Stadt"` and `"Graz,01.Bez.:Innere Stadt"` are in Wien and Graz. */
function toAustrianCity({ place }: RuleRow): string {
  return place.split(",", 1)[0]?.trim() || place;
}

/** GeoNames has no post towns of the United Kingdom; that of the eight London areas is London. */
function toBritishCity({ key, place }: RuleRow): string {
  return /^(?:EC|NW|SE|SW|WC|[ENW])\d/.test(key) ? "London" : place;
}

/** Province by the first letter of a postal code; X is shared by two territories. */
const provinces: Readonly<Record<string, string>> = {
  A: "NL",
  B: "NS",
  C: "PE",
  E: "NB",
  G: "QC",
  H: "QC",
  J: "QC",
  K: "ON",
  L: "ON",
  M: "ON",
  N: "ON",
  P: "ON",
  R: "MB",
  S: "SK",
  T: "AB",
  V: "BC",
  X: "NT",
  Y: "YT",
};

/** ISO 3166-2 suffix of a key's province; undefined for a letter that Canada Post does not use. */
function findProvince({ key }: RuleRow): string | undefined {
  return /^X0[ABC]/.test(key) ? "NU" : provinces[key.charAt(0)];
}

/** Parts of a city, which the name of its area ends with. */
const partOfCity =
  /[ -](?:North|South|East|West|Central|Centre|Inner|Outer|Northeast|Northwest|Southeast|Southwest|Upper|Lower)+$/;

/** Names of the second level that GeoNames has cut after the first words of a longer one. */
const cutNames: readonly string[] = ["Grand", "Sault Ste."];

/** Areas whose description hides the city: offices, towers, cities that name a neighbour. */
const canadianCities: readonly (readonly [key: RegExp, city: string])[] = [
  [/^E1A/, "Dieppe"],
  [/^G1[AJKT]/, "Quebec City"],
  [/^H(?:4Z|5[AB])/, "Montreal"],
  [/^M7A/, "Toronto"],
  [/^P0K/, "Iroquois Falls"],
  [/^V7[G-R]/, "North Vancouver"],
  [/^V7[STVW]/, "West Vancouver"],
];

/**
 * City of a forward sortation area, which GeoNames describes. Without an exception, in this order:
 *
 * 1. rural (second character 0): the text in brackets, `"Eastern Ontario (Blind River / Spanish)"`;
 * 2. the name of the second level where it stands in the place as whole words, because it is a city
 *    there: `"Downtown Toronto (CN Tower)"` with Toronto, but not Brantford with Brant;
 * 3. the text before the bracket without a part of the city: `"Quebec City South"`.
 */
function toCanadianCity({ key, place, admin2Name: admin2 }: RuleRow): string {
  const exception = canadianCities.find(([pattern]) => pattern.test(key));
  if (exception !== undefined) return exception[1];
  const inBrackets = /\(([^()/]+)/.exec(place)?.[1]?.trim();
  if (key.charAt(1) === "0" && inBrackets) return inBrackets;
  const isName = admin2 !== "" && !cutNames.includes(admin2);
  if (isName && hasWords(place, admin2)) return admin2;
  let city = place.replace(/\(.*/s, "").trim();
  for (let shorter = city.replace(partOfCity, ""); shorter !== city && shorter !== ""; ) {
    city = shorter;
    shorter = city.replace(partOfCity, "");
  }
  return city === "" ? place : city;
}

function hasWords(text: string, words: string): boolean {
  for (let at = text.indexOf(words); at !== -1; at = text.indexOf(words, at + 1)) {
    const around = text.charAt(at - 1) + text.charAt(at + words.length);
    if (!/\p{L}|\p{N}/u.test(around)) return true;
  }
  return false;
}

/** A zone of the capital is no city. */
function toGuatemalanCity({ place, admin1Name }: RuleRow): string {
  return /^ZONA \d+$/.test(place) && admin1Name !== "" ? admin1Name : toTitleCase(place);
}

const unitedStates: CountryRule = {
  toCity: ({ key, place, admin1Code }) => {
    const isMilitary = admin1Code === "" && findMilitaryState(key) !== undefined;
    const military = isMilitary ? toMilitaryCity(place) : undefined;
    return wrongCities[key] ?? military ?? correctCityName(place);
  },
  // The label of military mail names the wrong region in one of four rows, the ZIP code never.
  findState: ({ key, admin1Code }) => (admin1Code === "" ? findMilitaryState(key) : undefined),
  // Two ZIP codes are a base in Hawaii and a post office of the fleet.
  isFallback: ({ admin1Code }) => admin1Code === "",
};

function toTerritoryRule(state: string): CountryRule {
  return {
    toCity: ({ key, place }) => wrongCities[key] ?? correctCityName(place),
    findState: () => state,
    // The municipios of Puerto Rico are its counties, and regions of the file.
    findCounty: ({ admin1Name }) => (state === "PR" ? admin1Name : ""),
    // Some ZIP codes are in the file of the United States too, which knows them better.
    isFallback: () => true,
  };
}

const capitals: CountryRule = { toCity: ({ place }) => toTitleCase(place) };

/** Rules by the country in the first column of the file (alpha-2). */
export const countryRules: Readonly<Record<string, CountryRule>> = {
  AR: { toCity: toArgentineCity },
  AT: { toCity: toAustrianCity },
  CA: { toCity: toCanadianCity, findState: findProvince },
  // Large customers with their own codes: companies, not cities, marked by a numeric region.
  DE: {
    isFallback: ({ admin1Code }) => /^\d+$/.test(admin1Code),
  },
  GB: { toCity: toBritishCity },
  GT: { toCity: toGuatemalanCity },
  NZ: capitals,
  SE: capitals,
  // Post offices by what they do: deliver, keep boxes, open for a season.
  SI: {
    toCity: ({ place }) => place.replace(/ - (?:dostava|poštni predali)$| \(sezonska pošta\)$/, ""),
  },
  // Streets and buildings; the city is the country.
  SG: { toCity: () => "Singapore" },
  US: unitedStates,
};

/** Rules for the files of US territories, which are states of the US (decision 0003). */
export const territoryRules: Readonly<Record<string, CountryRule>> = Object.fromEntries(
  usTerritories.map((code) => [code, toTerritoryRule(code)]),
);
