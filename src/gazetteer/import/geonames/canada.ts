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

/** ISO 3166-2 suffix of the province that a key is in; undefined for a letter that Canada Post does not use. */
export function findProvince(key: string): string | undefined {
  return /^X0[ABC]/.test(key) ? "NU" : provinces[key.charAt(0)];
}

/** Parts of a city, which the name of its area ends with. */
const partOfCity =
  /[ -](?:North|South|East|West|Central|Centre|Inner|Outer|Northeast|Northwest|Southeast|Southwest|Upper|Lower)+$/;

/** Names of the second level that GeoNames has cut after the first words of a longer one. */
const cutNames: readonly string[] = ["Grand", "Place", "Sault Ste."];

/**
 * City of a forward sortation area; the place of GeoNames describes the area. In this order:
 *
 * 1. rural (second character 0): the text in brackets, `"Eastern Ontario (Blind River / Spanish)"`;
 * 2. the name of the second level where it stands in the place as whole words, because it is a city
 *    there: `"Downtown Toronto (CN Tower)"` with Toronto, but not Brantford with Brant;
 * 3. the text before the bracket without a part of the city: `"Quebec City South"`.
 */
export function toCanadianCity(key: string, place: string, admin2: string): string {
  const inBrackets = /\(([^()/]+)/.exec(place)?.[1]?.trim();
  if (key.charAt(1) === "0" && inBrackets) return inBrackets;
  const isName = admin2 !== "" && !cutNames.includes(admin2);
  if (isName && hasWords(place, admin2)) return admin2;
  let city = place.replace(/\s*\(.*$/, "").trim();
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
