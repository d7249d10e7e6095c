import type { CompatibleApiDeps } from "./compatible-api.ts";

/** A city and state as USPS writes them. */
interface UsPlace {
  /** Capitals without accents and punctuation, as in `SAINT LOUIS`. */
  readonly city: string;
  /** Two letters. */
  readonly state: string;
}

/** Finds the place of a ZIP code of five digits; undefined for an unknown or another text. */
export function findUsPlace(
  zipCode: string,
  { findPlaces }: Pick<CompatibleApiDeps, "findPlaces">,
): UsPlace | undefined {
  if (!/^\d{5}$/.test(zipCode)) return undefined;
  const place = findPlaces("US", zipCode).places[0];
  return place && { city: toUspsName(place.city), state: place.state.code };
}

/** First words that USPS writes in full. */
const fullWords: Readonly<Record<string, string>> = {
  FT: "FORT",
  MT: "MOUNT",
  ST: "SAINT",
  STE: "SAINTE",
};

/** Nearly all names are plain, and the others take longer than the look-up. */
const plainName = /^[A-Z]+(?: [A-Z]+)*$/;

function toUspsName(city: string): string {
  const capitals = city.toUpperCase();
  const plain = plainName.test(capitals) ? capitals : toPlainName(capitals);
  return plain.replace(/^(?:FT|MT|STE?)(?= )/, (word) => fullWords[word] ?? word);
}

function toPlainName(capitals: string): string {
  return capitals
    .normalize("NFD")
    .replace(/\p{M}|\./gu, "")
    .replace(/[^A-Z0-9]+/g, " ")
    .trim();
}
